//! The fields of a segment's header that the state machine processes (RFC 9293, 3.1).

use super::options::Options;

/// A segment's header without ports, checksum and urgent pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// SEG.SEQ: sequence number of the first octet of data, or of SYN.
    pub seq: u32,
    /// SEG.ACK: next sequence number the sender expects; `None` without the ACK bit.
    pub ack: Option<u32>,
    /// Control bits other than ACK.
    pub flags: Flags,
    /// SEG.WND before scaling: octets, shifted right by the sender's window scale except in a SYN (RFC 7323, 2.2).
    pub window: u16,
    /// Options that the state machine uses.
    pub options: Options,
}

/// Control bits (RFC 9293, 3.1); ACK is the presence of [`Header::ack`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Accurate ECN: with CWR and ECE the count of marks, outside the handshake (RFC 9768, 3.2.2).
    pub ae: bool,
    /// Congestion window reduced (RFC 3168, 6.1).
    pub cwr: bool,
    /// Explicit congestion notification echo (RFC 3168, 6.1).
    pub ece: bool,
    /// The urgent pointer is significant; the pointer itself is neither parsed nor emitted.
    pub urg: bool,
    /// Push: the receiver delivers buffered data to the application.
    pub psh: bool,
    /// RST: reset the connection.
    pub rst: bool,
    /// SYN: synchronize sequence numbers.
    pub syn: bool,
    /// No more data from the sender.
    pub fin: bool,
}

const ACK: u8 = 1 << 4;
/// The last bit of the octet that begins with the data offset.
pub(super) const AE: u8 = 1;

impl Flags {
    /// The ACE field: AE, CWR and ECE as a number of three bits (RFC 9768, 3.2.2).
    pub const fn ace(self) -> u8 {
        (self.ae as u8) << 2 | (self.cwr as u8) << 1 | self.ece as u8
    }

    /// The same bits with this ACE field.
    pub const fn with_ace(self, ace: u8) -> Self {
        Flags { ae: ace & 0b100 != 0, cwr: ace & 0b010 != 0, ece: ace & 0b001 != 0, ..self }
    }

    /// The octet of control bits.
    pub(super) fn octet(self, has_ack: bool) -> u8 {
        let Flags { cwr, ece, urg, psh, rst, syn, fin, .. } = self;
        let bits = [fin, syn, rst, psh, has_ack, urg, ece, cwr];
        bits.iter().enumerate().fold(0, |octet, (bit, &set)| octet | u8::from(set) << bit)
    }

    /// The control bits of an octet and of the one before it, and whether ACK is among them.
    pub(super) fn of(before: u8, octet: u8) -> (Self, bool) {
        let bit = |number: u8| octet >> number & 1 == 1;
        let ae = before & AE != 0;
        let flags =
            Flags { ae, cwr: bit(7), ece: bit(6), urg: bit(5), psh: bit(3), rst: bit(2), syn: bit(1), fin: bit(0) };
        (flags, octet & ACK != 0)
    }
}
