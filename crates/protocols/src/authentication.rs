//! Message authentication: HMAC-SHA-256 (RFC 2104, RFC 6234) truncated to 128 bits (RFC 4868).

use std::fmt;

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Length of a [`Tag`] in bytes (RFC 4868, 2.1.1).
pub const TAG_LENGTH: usize = 16;

/// Authentication tag of a message: the first 128 bits of its HMAC.
pub type Tag = [u8; TAG_LENGTH];

/// A pre-shared key of any length; RFC 2104, 3 recommends 32 random bytes or more.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl Key {
    /// Creates the key from the secret's bytes.
    pub fn new(secret: &[u8]) -> Key {
        Key(Hmac::new_from_slice(secret).expect("HMAC takes a key of any length"))
    }

    /// Computes the tag of a message given in parts.
    pub fn tag(&self, message: &[&[u8]]) -> Tag {
        let whole = self.over(message).finalize().into_bytes();
        *whole.first_chunk().expect("SHA-256 gives 32 bytes")
    }

    /// Verifies a tag in constant time.
    pub fn is_tag(&self, message: &[&[u8]], tag: &Tag) -> bool {
        self.over(message).verify_truncated_left(tag).is_ok()
    }

    fn over(&self, message: &[&[u8]]) -> Hmac<Sha256> {
        let mut state = self.0.clone();
        message.iter().for_each(|part| state.update(part));
        state
    }
}

/// A key is never printed.
impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    }

    /// RFC 4231, test cases 1, 2 and 6, truncated to 128 bits.
    #[test]
    fn tags_match_the_published_vectors() {
        let long = [0xaa; 131];
        let vectors: [(&[u8], &[u8], &str); 3] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b"),
            (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c7"),
            (&long, b"Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f"),
        ];
        for (key, message, tag) in vectors {
            assert_eq!(Key::new(key).tag(&[message]).to_vec(), bytes(tag));
        }
    }

    #[test]
    fn a_message_in_parts_has_the_tag_of_the_whole() {
        let key = Key::new(b"secret");
        assert_eq!(key.tag(&[b"one ", b"two"]), key.tag(&[b"one two"]));
    }

    #[test]
    fn a_flipped_bit_or_another_key_invalidates_a_tag() {
        let key = Key::new(b"secret");
        let tag = key.tag(&[b"message"]);
        assert!(key.is_tag(&[b"message"], &tag));
        assert!(!Key::new(b"Secret").is_tag(&[b"message"], &tag));
        for bit in 0..8 * TAG_LENGTH {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.is_tag(&[b"message"], &wrong), "bit {bit}");
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        assert_eq!(format!("{:?}", Key::new(b"hunter2")), "[secret]");
    }
}
