//! LDAP (RFC 4511, 4.1.1): the message identifier names an operation. Entries of a search are parts of its answer, which ends
//! with the result. Behind a bind with SASL (section 5.2 of RFC 4513) messages may be in buffers, signed or encrypted.

use super::octets::{Element, be16, be32};
use super::{Framed, Message};

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 2;
/// Octets of the longest message, with room for photographs.
const LONGEST: usize = 16 << 20;

const OBJECT: u8 = 6;
/// Octets of the length of a buffer of SASL.
const SASL_HEADER: usize = 4;
/// Octets of a buffer, at most, that show its security layer.
const TOKEN_HEADER: usize = 32;
/// Octets in front of the message in tokens: of RFC 4121; of RFC 1964, with the checksum and a confounder; of NTLM.
const WRAP_HEADER: usize = 16;
const OLD_WRAP_HEADER: usize = 32;
const SIGNATURE: usize = 16;

/// An operation or its result, by the tag of its protocol operation.
pub fn read(message: &[u8]) -> Option<Message> {
    if security_layer(message, usize::MAX) == Some(Layer::Encrypted) {
        return Some(Message::Encrypted);
    }
    let whole = Element::of(message).filter(|whole| whole.tag == SEQUENCE)?;
    let within = whole.within(message);
    let id = Element::of(within).filter(|id| id.tag == INTEGER)?;
    let name = id.number(within)?;
    Some(match within.get(id.end())? {
        // unbind and abandon have no response
        0x42 | 0x50 => return None,
        // bind, search, modify, add, delete, rename, compare, extended
        0x60 | 0x63 | 0x66 | 0x68 | 0x4a | 0x6c | 0x6e | 0x77 => Message::Request(name),
        // entries, references and intermediate responses
        0x64 | 0x73 | 0x79 => Message::Part(name),
        // notifications have the number 0
        0x78 if name == 0 => return None,
        0x61 | 0x65 | 0x67 | 0x69 | 0x6b | 0x6d | 0x6f | 0x78 => Message::Answer(name),
        _ => return None,
    })
}

/// The message at the beginning of a stream, perhaps in a buffer of SASL, where it has a checksum.
pub fn frame(octets: &[u8]) -> Option<Framed> {
    if octets.first() == Some(&0) {
        return buffer(octets);
    }
    let whole = Element::of(octets).filter(|whole| whole.tag == SEQUENCE)?;
    let is_message = octets.get(whole.contents).is_none_or(|tag| *tag == INTEGER) && whole.length > 0;
    if !is_message || whole.length > LONGEST { None } else { Framed::whole(0, whole.end()) }
}

/// Where the next message in a buffer of SASL begins: behind the last one, or nothing but a checksum follows.
pub fn next_message(message: &[u8]) -> Option<usize> {
    let end = Element::of(message).filter(|whole| whole.tag == SEQUENCE)?.end();
    message.get(end).is_none_or(|tag| *tag == SEQUENCE).then_some(end)
}

/// Whether octets are too few to say how long the message is that begins with them.
pub fn is_cut(octets: &[u8]) -> bool {
    match *octets {
        [] | [SEQUENCE] => true,
        [SEQUENCE, length, ..] => length > 0x80 && octets.len() < 2 + usize::from(length & 0x7f).min(4),
        [0, ..] => {
            let length = be32(octets, 0).map_or(TOKEN_HEADER, |length| length as usize);
            octets.len() < SASL_HEADER + length.min(TOKEN_HEADER)
        }
        _ => false,
    }
}

/// A buffer of SASL behind its length (RFC 4422, 3.7), which has a security layer.
fn buffer(octets: &[u8]) -> Option<Framed> {
    let length = be32(octets, 0)? as usize;
    let octets = octets.get(SASL_HEADER..)?;
    if length == 0 || length > LONGEST {
        return None;
    }
    match security_layer(octets, length)? {
        Layer::Signed(begin) if begin < length => Framed::whole(SASL_HEADER + begin, SASL_HEADER + length),
        Layer::Signed(_) => None,
        Layer::Encrypted => Framed::whole(SASL_HEADER, SASL_HEADER + length),
    }
}

/// What a security layer does with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    /// It adds a checksum: where the first message begins.
    Signed(usize),
    /// It hides them.
    Encrypted,
}

/// The security layer of a buffer of this length: a token of Kerberos of either kind, of NTLM, or one behind the message.
fn security_layer(octets: &[u8], length: usize) -> Option<Layer> {
    const SEALED: u8 = 2;
    match *octets {
        // the checksum of DIGEST-MD5 is behind its message (RFC 2831, 2.3)
        [SEQUENCE, ..] => Some(Layer::Signed(0)),
        // a wrap token (RFC 4121, 4.2.6.2), in which the last octets may be rotated to the front (section 4.2.5)
        [5, 4, flags, 0xff, ..] if flags & SEALED != 0 => Some(Layer::Encrypted),
        [5, 4, _, 0xff, ..] => {
            let rotated = usize::from(be16(octets, 6)?);
            Some(Layer::Signed(WRAP_HEADER + rotated % length.checked_sub(WRAP_HEADER).filter(|rest| *rest > 0)?))
        }
        // a wrap token of before, behind the name of the mechanism (RFC 1964, 1.1 and 1.2.2; RFC 4757, 7.3)
        [0x60, ..] => {
            let mechanism = Element::of(octets)?.contents;
            let token = mechanism + Element::of(octets.get(mechanism..)?).filter(|name| name.tag == OBJECT)?.end();
            match *octets.get(token..)?.first_chunk()? {
                [2, 1, _, _, 0xff, 0xff] => Some(Layer::Signed(token + OLD_WRAP_HEADER)),
                [2, 1, ..] => Some(Layer::Encrypted),
                _ => None,
            }
        }
        // a signature of version 1 ([MS-NLMP] 2.2.2.9), in front of a message that may be encrypted
        [1, 0, 0, 0, ..] => {
            let is_plain = frame(octets.get(SIGNATURE..)?).is_some_and(|message| message.length <= length);
            Some(if is_plain { Layer::Signed(SIGNATURE) } else { Layer::Encrypted })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u8, operation: u8) -> [u8; 7] {
        [0x30, 5, 2, 1, id, operation, 0]
    }

    #[test]
    fn a_result_has_the_message_identifier_of_its_operation_and_entries_are_parts_of_the_answer() {
        assert_eq!(read(&message(7, 0x63)), Some(Message::Request(7)));
        assert_eq!(read(&message(7, 0x64)), Some(Message::Part(7)));
        assert_eq!(read(&message(7, 0x65)), Some(Message::Answer(7)));
        assert_eq!((read(&message(7, 0x42)), read(&message(0, 0x78))), (None, None));
    }

    #[test]
    fn lengths_may_be_long_as_windows_writes_them() {
        let long = [0x30, 0x84, 0, 0, 0, 6, 2, 2, 1, 7, 0x60, 0];
        assert_eq!((read(&long), frame(&long)), (Some(Message::Request(0x107)), Framed::whole(0, 12)));
        assert_eq!((frame(&[0x30, 0]), frame(&[0x30, 5, 4, 1]), frame(&[0, 0, 1, 4])), (None, None, None));
    }
    /// A buffer of SASL with a token.
    fn buffer_of(token: &[&[u8]]) -> Vec<u8> {
        let token = token.concat();
        [&(token.len() as u32).to_be_bytes()[..], &token].concat()
    }

    const CHECKSUM: &[u8] = &[0x30; 12];

    /// A wrap token of RFC 4121 with flags and rotation.
    fn wrap(flags: u8, rotated: u8, contents: &[&[u8]]) -> Vec<u8> {
        let header = [5, 4, flags, 0xff, 0, 12, 0, rotated, 0, 0, 0, 0, 0, 0, 0, 1];
        buffer_of(&[&header, &contents.concat()])
    }

    /// The messages of a buffer.
    fn within(buffer: &[u8]) -> Vec<Option<Message>> {
        let framed = frame(buffer).unwrap();
        assert_eq!(framed.length, buffer.len());
        let mut rest = &buffer[framed.header..];
        let mut found = vec![read(rest)];
        while let Some(next) = next_message(rest).filter(|next| *next < rest.len()) {
            rest = &rest[next..];
            found.push(read(rest));
        }
        found
    }

    #[test]
    fn messages_that_are_signed_are_read_behind_the_token_of_their_mechanism() {
        let (entry, done) = (message(7, 0x64), message(7, 0x65));
        let both = [Some(Message::Part(7)), Some(Message::Answer(7))];
        // the octets of the checksum look like the begin of a message, and are none
        assert_eq!(within(&wrap(1, 0, &[&entry, &done, CHECKSUM]))[..2], both);
        assert_eq!(within(&wrap(5, 12, &[CHECKSUM, &entry, &done])), both, "with the checksum in front");
        let mechanism = [0x60, 50, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2];
        let old = |seal: [u8; 2]| {
            let header = [&[2, 1, 0x11, 0][..], &seal, &[0xff, 0xff], &[9; 24]].concat();
            buffer_of(&[&mechanism, &header, &done])
        };
        assert_eq!(within(&old([0xff, 0xff])), [Some(Message::Answer(7))]);
        assert_eq!(within(&old([0x10, 0])), [Some(Message::Encrypted)]);
        assert_eq!(within(&buffer_of(&[&[1, 0, 0, 0], &[9; 12], &done])), [Some(Message::Answer(7))], "NTLM");
        assert_eq!(within(&buffer_of(&[&done, &[9; 10], &[0, 1, 0, 0, 0, 0]])), [Some(Message::Answer(7))], "MD5");
    }

    #[test]
    fn of_messages_that_are_encrypted_it_is_known_that_they_are() {
        assert_eq!(within(&wrap(7, 28, &[&[0x77; 60]])), [Some(Message::Encrypted)]);
        assert_eq!(within(&buffer_of(&[&[1, 0, 0, 0], &[9; 12], &[0x77; 30]])), [Some(Message::Encrypted)], "NTLM");
        assert_eq!(frame(&buffer_of(&[&[0x77; 40]])), None, "not known");
    }

    #[test]
    fn a_header_that_is_cut_is_known_to_be() {
        let whole = wrap(5, 12, &[CHECKSUM, &message(7, 0x65)]);
        // the length, and the token up to where the message begins
        assert!((1..36).all(|octets| is_cut(&whole[..octets])) && !is_cut(&whole[..36]));
        let long = [0x30, 0x84, 0, 0, 0, 6, 2, 2, 1, 7, 0x60, 0];
        assert!((1..6).all(|octets| is_cut(&long[..octets])) && !is_cut(&long[..6]));
    }
}
