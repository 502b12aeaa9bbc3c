//! Frame types.

use std::fmt;

use super::length::LONGEST_DATA;

/// The type of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameType {
    /// 0: the right to send, passed to the next master.
    #[default]
    Token,
    /// 1: asks whether a master has the destination address.
    PollForMaster,
    /// 2: a master answers the poll.
    ReplyToPollForMaster,
    /// 3: asks for its data back.
    TestRequest,
    /// 4: returns the data of a test request.
    TestResponse,
    /// 5: an NPDU whose receiver replies at once or postpones its reply (BACnet Data Expecting Reply).
    DataExpectingReply,
    /// 6: an NPDU without a reply, or a reply (BACnet Data Not Expecting Reply).
    DataNotExpectingReply,
    /// 7: the reply follows when the node has the token.
    ReplyPostponed,
    /// 32: as 5, of 502 to 1497 octets, encoded.
    ExtendedDataExpectingReply,
    /// 33: as 6, of 502 to 1497 octets, encoded.
    ExtendedDataNotExpectingReply,
    /// 34: an encoded IPv6 packet.
    Ipv6Encapsulation,
    /// 8 to 31 and 35 to 127: reserved; those up to 127 from 32 are encoded as well.
    Reserved(u8),
    /// 128 to 255: proprietary, the first two octets of the data name the vendor.
    Proprietary(u8),
}

use FrameType::*;

impl FrameType {
    /// The type with this number.
    pub const fn of(octet: u8) -> Self {
        match octet {
            0 => Token,
            1 => PollForMaster,
            2 => ReplyToPollForMaster,
            3 => TestRequest,
            4 => TestResponse,
            5 => DataExpectingReply,
            6 => DataNotExpectingReply,
            7 => ReplyPostponed,
            32 => ExtendedDataExpectingReply,
            33 => ExtendedDataNotExpectingReply,
            34 => Ipv6Encapsulation,
            128.. => Proprietary(octet),
            other => Reserved(other),
        }
    }

    /// The number of the type.
    pub const fn octet(self) -> u8 {
        match self {
            Token => 0,
            PollForMaster => 1,
            ReplyToPollForMaster => 2,
            TestRequest => 3,
            TestResponse => 4,
            DataExpectingReply => 5,
            DataNotExpectingReply => 6,
            ReplyPostponed => 7,
            ExtendedDataExpectingReply => 32,
            ExtendedDataNotExpectingReply => 33,
            Ipv6Encapsulation => 34,
            Reserved(octet) | Proprietary(octet) => octet,
        }
    }

    /// The type of a frame that carries an NPDU of `length` octets.
    pub const fn of_data(length: usize, expects_reply: bool) -> Self {
        match (length > LONGEST_DATA, expects_reply) {
            (false, true) => DataExpectingReply,
            (false, false) => DataNotExpectingReply,
            (true, true) => ExtendedDataExpectingReply,
            (true, false) => ExtendedDataNotExpectingReply,
        }
    }

    /// Whether the data are an NPDU.
    pub const fn is_data(self) -> bool {
        self.is_request() || self.is_unsolicited()
    }

    /// Whether it is data whose receiver replies.
    pub const fn is_request(self) -> bool {
        matches!(self, DataExpectingReply | ExtendedDataExpectingReply)
    }

    /// Whether it is data without a reply, or a reply.
    pub const fn is_unsolicited(self) -> bool {
        matches!(self, DataNotExpectingReply | ExtendedDataNotExpectingReply)
    }

    /// Whether a master that has sent it waits for a reply.
    pub const fn expects_reply(self) -> bool {
        self.is_request() || matches!(self, TestRequest)
    }

    /// Whether its data are encoded by COBS, with CRC-32K in place of the data CRC (types 32 to 127).
    pub const fn is_encoded(self) -> bool {
        matches!(self.octet(), 32..=127)
    }

    /// Whether it never carries data.
    pub const fn is_bare(self) -> bool {
        matches!(self, Token | PollForMaster | ReplyToPollForMaster | ReplyPostponed)
    }
}

impl fmt::Display for FrameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Token => "Token",
            PollForMaster => "Poll For Master",
            ReplyToPollForMaster => "Reply To Poll For Master",
            TestRequest => "Test Request",
            TestResponse => "Test Response",
            DataExpectingReply => "BACnet Data Expecting Reply",
            DataNotExpectingReply => "BACnet Data Not Expecting Reply",
            ReplyPostponed => "Reply Postponed",
            ExtendedDataExpectingReply => "BACnet Extended Data Expecting Reply",
            ExtendedDataNotExpectingReply => "BACnet Extended Data Not Expecting Reply",
            Ipv6Encapsulation => "IPv6 over MS/TP Encapsulation",
            Reserved(octet) => return write!(f, "reserved type {octet}"),
            Proprietary(octet) => return write!(f, "proprietary type {octet}"),
        })
    }
}
