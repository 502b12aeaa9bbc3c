//! Messages of text as SIP and HTTP have them: a start line, fields, an empty line and a body (RFC 9112, 2.1).

const END_OF_FIELDS: &[u8] = b"\r\n\r\n";

/// Octets from the start line to the empty line; `None` where that was not captured.
pub fn head(octets: &[u8]) -> Option<usize> {
    octets.windows(END_OF_FIELDS.len()).position(|window| window == END_OF_FIELDS).map(|at| at + END_OF_FIELDS.len())
}

/// The start line, without its end, which must be there.
pub fn start_line(octets: &[u8]) -> Option<&[u8]> {
    let end = octets.iter().position(|octet| *octet == b'\n')?;
    Some(octets[..end].trim_ascii_end())
}

/// The first field of one of these names, in either case, as far as it was captured.
pub fn field<'a>(octets: &'a [u8], names: &[&str]) -> Option<&'a [u8]> {
    let lines = octets.split(|octet| *octet == b'\n').skip(1).take_while(|line| !line.trim_ascii().is_empty());
    for line in lines {
        let Some(colon) = line.iter().position(|octet| *octet == b':') else { continue };
        let name = line[..colon].trim_ascii();
        if names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) {
            return Some(line[colon + 1..].trim_ascii());
        }
    }
    None
}

/// Whether octets may be the begin of a start line that goes on, or of an empty line.
pub fn is_cut(octets: &[u8]) -> bool {
    let is_begin = octets.first().is_some_and(u8::is_ascii_uppercase);
    let is_text = |octet: &u8| octet.is_ascii_graphic() || matches!(octet, b' ' | b'\r');
    octets == b"\r" || is_begin && octets.iter().all(is_text)
}

/// Octets of the body by a field of this name; `None` without one.
pub fn body_length(octets: &[u8], names: &[&str]) -> Option<usize> {
    let value = field(octets, names)?;
    let is_number = !value.is_empty() && value.len() <= 10 && value.iter().all(u8::is_ascii_digit);
    is_number.then(|| value.iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH : 12\r\n\r\nLength: 9";

    #[test]
    fn fields_are_in_front_of_the_empty_line_and_their_names_in_either_case() {
        assert_eq!(start_line(MESSAGE), Some(&b"GET / HTTP/1.1"[..]));
        assert_eq!((head(MESSAGE), body_length(MESSAGE, &["Content-Length", "l"])), (Some(48), Some(12)));
        assert_eq!((field(MESSAGE, &["Length"]), field(MESSAGE, &["host"])), (None, Some(&b"a"[..])));
        assert_eq!((head(&MESSAGE[..40]), start_line(b"GET /")), (None, None));
    }
}
