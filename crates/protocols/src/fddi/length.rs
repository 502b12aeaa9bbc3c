//! Lengths of tokens and frames in the conventions that papers use, and their times on the ring.
//!
//! | convention | counts | dataless frame |
//! |---|---|---|
//! | MAC length M | FC to FCS | 17 |
//! | wire length W | preamble to frame status | 28 |
//! | DEC length L | start delimiter to frame status | 20 |
//!
//! `W = M + 11` and `L = W - 8 = M + 3`. UVA TR-92-05 counts 25 bytes of FDDI around an XTP packet: LLC and SNAP 8,
//! frame control 1, addresses 12, FCS 4, which is M with SNAP.

use sojourn_core::Duration;

/// Transmission time of a byte at 100 Mbit/s.
pub const BYTE_TIME: Duration = Duration::from_nanos(80);
/// Maximum length of INFO, bytes: 8956 symbols.
pub const MAX_INFO: usize = 4478;
/// MAC length of a frame without INFO, bytes.
pub const MIN_FRAME: usize = 17;
/// Maximum MAC length, bytes: 9000 symbols without two bytes of preamble, SD, ED and FS.
pub const MAX_FRAME: usize = mac_length(MAX_INFO);
/// Wire length of a token, bytes: preamble 8, start delimiter, frame control and ending delimiter.
pub const TOKEN_LENGTH: usize = 11;
/// Transmission time of a token, 0.88 µs.
pub const TOKEN_TIME: Duration = BYTE_TIME.times(TOKEN_LENGTH as u64);

/// Preamble 8, start delimiter 1, ending delimiter and frame status 2: wire length minus M.
const FRAMING: usize = 11;
/// Bytes of the preamble.
const PREAMBLE: usize = 8;

/// M, the bytes from FC to FCS, of a frame with `information` bytes of INFO.
pub const fn mac_length(information: usize) -> usize {
    MIN_FRAME + information
}

/// W, the bytes on the ring, of a frame whose MAC length is `mac_length`.
pub const fn wire_length(mac_length: usize) -> usize {
    mac_length + FRAMING
}

/// L, as Digital's papers count, of a frame whose MAC length is `mac_length` (Kalkunte, DTJ 3(3), 1991).
pub const fn dec_length(mac_length: usize) -> usize {
    wire_length(mac_length) - PREAMBLE
}

/// The time on the ring of a frame whose MAC length is `mac_length`.
pub const fn wire_time(mac_length: usize) -> Duration {
    BYTE_TIME.times(wire_length(mac_length) as u64)
}
