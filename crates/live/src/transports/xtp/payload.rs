//! The payload of a transfer, generated from a seed and hashed.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use sojourn_core::{Stream, Streams};

/// Bytes of the sink's response: length and SHA-256.
pub const RECEIPT_LENGTH: usize = 40;

/// Pseudo-random data, so that misplaced bytes are detected.
#[derive(Debug)]
pub struct Payload {
    stream: Stream,
    left: u64,
    hash: Sha256,
    length: u64,
}

/// The sink's response to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Bytes of the message.
    pub length: u64,
    /// SHA-256 of the data.
    pub digest: [u8; 32],
}

impl Payload {
    /// `length` bytes of the stream `live/payload` of `seed` and `replication`.
    pub fn new(seed: u64, replication: u32, length: u64) -> Payload {
        let stream = Streams::new(seed, replication).stream("live/payload");
        Payload { stream, left: length, hash: Sha256::new(), length }
    }

    /// The next bytes, at most `most`, and whether they are the last; `None` after the last.
    pub fn next_chunk(&mut self, most: usize) -> Option<(Bytes, bool)> {
        if self.left == 0 {
            return None;
        }
        let size = usize::try_from(self.left).unwrap_or(usize::MAX).min(most);
        let mut chunk = vec![0; size];
        for word in chunk.chunks_mut(8) {
            word.copy_from_slice(&self.stream.bits().to_le_bytes()[..word.len()]);
        }
        self.hash.update(&chunk);
        self.left -= size as u64;
        Some((Bytes::from(chunk), self.left == 0))
    }

    /// The sink's expected response once all chunks were generated.
    pub fn receipt(&self) -> Receipt {
        Receipt { length: self.length, digest: self.hash.clone().finalize().into() }
    }
}

impl Receipt {
    /// Its encoding: the length in eight bytes, big-endian, then the digest.
    pub fn to_bytes(self) -> Bytes {
        let mut bytes = Vec::with_capacity(RECEIPT_LENGTH);
        bytes.extend_from_slice(&self.length.to_be_bytes());
        bytes.extend_from_slice(&self.digest);
        Bytes::from(bytes)
    }

    /// Decodes a response of the sink; `None` if it is not a receipt.
    pub fn from_bytes(bytes: &[u8]) -> Option<Receipt> {
        let (length, digest) = bytes.split_at_checked(8)?;
        Some(Receipt { length: u64::from_be_bytes(length.try_into().ok()?), digest: digest.try_into().ok()? })
    }

    /// The digest in hexadecimal.
    pub fn hexadecimal(&self) -> String {
        self.digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_is_the_same_for_any_chunk_size() {
        let bytes = |most| {
            let mut payload = Payload::new(1, 0, 1000);
            let mut all = Vec::new();
            while let Some((chunk, last)) = payload.next_chunk(most) {
                all.extend_from_slice(&chunk);
                assert_eq!(last, all.len() == 1000);
            }
            (all, payload.receipt())
        };
        assert_eq!(bytes(64), bytes(1000));
        assert_eq!(bytes(64).1.digest, <[u8; 32]>::from(Sha256::digest(&bytes(64).0)));
    }

    #[test]
    fn a_receipt_round_trips_and_anything_else_is_rejected() {
        let receipt = Receipt { length: 10 << 20, digest: [7; 32] };
        assert_eq!(Receipt::from_bytes(&receipt.to_bytes()), Some(receipt));
        assert_eq!(Receipt::from_bytes(&receipt.to_bytes()[..39]), None);
        assert_eq!(Receipt::from_bytes(b""), None);
    }
}
