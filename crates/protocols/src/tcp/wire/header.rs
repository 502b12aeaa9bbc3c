//! What a segment says beside its ports and data.

use super::options::Options;

/// The part of a segment's header that a connection reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Sequence number of the first octet of data, or of SYN.
    pub sequence: u32,
    /// The next sequence number expected from the other end; `None` without ACK.
    pub acknowledgement: Option<u32>,
    /// The control bits other than ACK.
    pub flags: Flags,
    /// Octets that the sender has room for, still to be shifted by its window scale.
    pub window: u16,
    /// Options.
    pub options: Options,
}

/// Control bits; ACK is the presence of an acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Congestion window reduced (RFC 3168).
    pub congestion_window_reduced: bool,
    /// Echo of a congestion mark (RFC 3168).
    pub congestion_echo: bool,
    /// The urgent pointer counts; it is neither told nor sent otherwise.
    pub urgent: bool,
    /// The receiver is to hand its data to the application.
    pub push: bool,
    /// The connection is not known here, or ended at once.
    pub reset: bool,
    /// The first sequence number of a direction.
    pub synchronize: bool,
    /// The last.
    pub finish: bool,
}

const ACKNOWLEDGEMENT: u8 = 1 << 4;

impl Flags {
    /// The octet of control bits.
    pub(super) fn octet(self, acknowledges: bool) -> u8 {
        let Flags { congestion_window_reduced, congestion_echo, urgent, push, reset, synchronize, finish } = self;
        let bits = [finish, synchronize, reset, push, acknowledges, urgent, congestion_echo, congestion_window_reduced];
        bits.iter().enumerate().fold(0, |octet, (bit, &set)| octet | u8::from(set) << bit)
    }

    /// The control bits of an octet, and whether ACK is among them.
    pub(super) fn of(octet: u8) -> (Self, bool) {
        let bit = |number: u8| octet >> number & 1 == 1;
        let flags = Flags {
            congestion_window_reduced: bit(7),
            congestion_echo: bit(6),
            urgent: bit(5),
            push: bit(3),
            reset: bit(2),
            synchronize: bit(1),
            finish: bit(0),
        };
        (flags, octet & ACKNOWLEDGEMENT != 0)
    }
}
