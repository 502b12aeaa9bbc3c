//! Blocks of clear text that carry their length, so that an echo recognizes a complete block.
//!
//! ```text
//! SOJOURN/128/7/ alpha bravo charlie ...
//! ```
//!
//! A block of 128 octets, number 7. Blocks too short for this header are plain text, which is echoed as it arrives.

/// Start of a block.
const MARK: &[u8] = b"SOJOURN/";
/// Octets of the longest block.
pub const LARGEST: u32 = 65_535;
/// Digits of a length, at most.
const LENGTH_DIGITS: usize = 5;
/// Words that fill a block.
const WORDS: [&str; 26] = [
    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima",
    "mike", "november", "oscar", "papa", "quebec", "romeo", "sierra", "tango", "uniform", "victor", "whiskey", "xray",
    "yankee", "zulu",
];

/// The block of this number, `size` octets of printable ASCII.
pub fn block(number: u64, size: u32) -> Vec<u8> {
    let size = size as usize;
    let mut text = format!("SOJOURN/{size}/{number}/");
    if text.len() > size {
        text.clear();
    }
    let mut word = number as usize;
    while text.len() < size {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(WORDS[word % WORDS.len()]);
        word += 1;
    }
    text.truncate(size);
    text.into_bytes()
}

/// What a stream begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// A block of this many octets.
    Block(usize),
    /// Too short to decide.
    Undecided,
    /// Printable text, for nodes and mailboxes.
    Text,
}

/// Classifies received octets, from the end of the previous block on.
pub fn beginning(stream: &[u8]) -> Beginning {
    let known = MARK.len().min(stream.len());
    if stream[..known] != MARK[..known] {
        return Beginning::Text;
    }
    let rest = &stream[known..];
    let digits = rest.iter().take_while(|octet| octet.is_ascii_digit()).count();
    match rest.get(digits) {
        _ if digits > LENGTH_DIGITS => Beginning::Text,
        None => Beginning::Undecided,
        Some(b'/') => {
            let length = std::str::from_utf8(&rest[..digits]).ok().and_then(|digits| digits.parse().ok());
            let head = MARK.len() + digits + 1;
            match length {
                Some(length) if length <= LARGEST as usize && length >= head => Beginning::Block(length),
                _ => Beginning::Text,
            }
        }
        Some(_) => Beginning::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_clear_text_of_its_length_and_states_it() {
        for size in [1, 15, 16, 17, 64, 2048, LARGEST] {
            let block = block(7, size);
            assert_eq!(block.len(), size as usize);
            assert!(block.iter().all(|octet| octet.is_ascii_graphic() || *octet == b' '));
            if size >= 17 {
                assert_eq!(beginning(&block), Beginning::Block(size as usize));
            }
        }
        assert_ne!(block(1, 64), block(2, 64));
    }

    #[test]
    fn a_beginning_is_undecided_until_it_is_known() {
        assert_eq!(beginning(b""), Beginning::Undecided);
        assert_eq!(beginning(b"SOJ"), Beginning::Undecided);
        assert_eq!(beginning(b"SOJOURN/12"), Beginning::Undecided);
        assert_eq!(beginning(b"SOJOURN/128/"), Beginning::Block(128));
        for text in [&b"hello"[..], b"SOJOURN//", b"SOJOURN/3/", b"SOJOURN/70000/", b"SOJOURN/123456", b"SOJOURN/1x"] {
            assert_eq!(beginning(text), Beginning::Text, "{text:?}");
        }
    }
}
