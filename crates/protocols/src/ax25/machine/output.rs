//! What goes into a station and what comes out.

use thiserror::Error;

use super::settings::Version;
use crate::ax25::wire::{Address, Addressing, Digipeaters, Frame, Modulo, Pid, Role};

/// Whom a link joins, and by which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkKey {
    /// The station's own address.
    pub own: Address,
    /// The other station's.
    pub peer: Address,
    /// The way from here to there.
    pub digipeaters: Digipeaters,
}

/// A link of a station. A later link is never taken for an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId {
    pub(super) index: u16,
    pub(super) serial: u32,
}

impl LinkKey {
    /// A link of stations that hear each other.
    pub const fn direct(own: Address, peer: Address) -> Self {
        LinkKey { own, peer, digipeaters: Digipeaters::NONE }
    }

    /// The link, seen from here, that a frame which came in belongs to.
    pub fn of_received(addressing: &Addressing) -> Self {
        let digipeaters = addressing.digipeaters.reversed();
        LinkKey { own: addressing.destination, peer: addressing.source, digipeaters }
    }

    /// The addresses of a frame that goes out.
    pub const fn addressing(&self, role: Role) -> Addressing {
        Addressing::new(self.own, self.peer, self.digipeaters, role)
    }
}

/// What a driver tells a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<D> {
    /// The user wants a link; [`Station::link`](super::Station::link) then names it.
    Connect {
        /// Which.
        key: LinkKey,
    },
    /// The user sends information in one I frame, once the link is up.
    Send {
        /// The link.
        link: LinkId,
        /// Whose the information is.
        pid: Pid,
        /// The information, at most N1 octets.
        data: D,
    },
    /// The user ends a link at once; what has not been sent is dropped.
    Disconnect {
        /// The link.
        link: LinkId,
    },
    /// The user takes no more information, or takes it again.
    SetBusy {
        /// The link.
        link: LinkId,
        /// Whether it is busy.
        busy: bool,
    },
    /// The user sends a UI frame.
    SendUnnumbered {
        /// From where to where.
        key: LinkKey,
        /// Whose the information is.
        pid: Pid,
        /// The information.
        data: D,
    },
    /// The user sends a TEST frame, which the other station sends back.
    SendTest {
        /// From where to where.
        key: LinkKey,
        /// What shall come back.
        data: D,
    },
    /// A frame with a valid FCS came in.
    Receive {
        /// The frame.
        frame: Frame<D>,
    },
    /// The channel is the station's: it gives the frames of one burst.
    SeizeConfirm {
        /// I frames in it at most, over all links; other frames are few and always go.
        information_frames: u16,
    },
    /// All frames given so far have left the air.
    Transmitted,
    /// The channel became busy, or the station keyed its transmitter; or neither is so any more.
    ChannelBusy {
        /// Which of the two.
        busy: bool,
    },
}

/// What a station tells its driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<D> {
    /// Something waits for the channel. Said once until [`Input::SeizeConfirm`].
    SeizeRequest,
    /// Transmit a frame, after those of earlier outputs.
    Transmit {
        /// The link it belongs to, if to one.
        link: Option<LinkId>,
        /// The frame.
        frame: Frame<D>,
        /// What it is sent for.
        purpose: Purpose,
    },
    /// A link is up.
    Connected {
        /// The link.
        link: LinkId,
        /// Whether the other station asked for it.
        incoming: bool,
        /// What it speaks.
        version: Version,
        /// How it counts.
        modulo: Modulo,
    },
    /// Information of a link, in sequence.
    Deliver {
        /// The link.
        link: LinkId,
        /// Whose it is.
        pid: Pid,
        /// The information.
        data: D,
    },
    /// The other station has that many frames more.
    Acknowledged {
        /// The link.
        link: LinkId,
        /// How many.
        frames: u8,
    },
    /// The other station takes no more information, or takes it again.
    PeerBusy {
        /// The link.
        link: LinkId,
        /// Whether it is busy.
        busy: bool,
    },
    /// A link began anew: what was under way may or may not have arrived.
    Reset {
        /// The link.
        link: LinkId,
        /// Frames not acknowledged or not sent, dropped.
        lost: u32,
    },
    /// A link is down, or did not come up.
    Disconnected {
        /// The link.
        link: LinkId,
        /// Why.
        cause: Cause,
        /// Frames not acknowledged or not sent, dropped.
        lost: u32,
    },
    /// A UI frame came in.
    Unnumbered {
        /// Its addresses.
        addressing: Addressing,
        /// Whose the information is.
        pid: Pid,
        /// The information.
        data: D,
    },
    /// A TEST frame came back.
    TestResponse {
        /// Its addresses.
        addressing: Addressing,
        /// What it brought.
        data: D,
    },
    /// A request was not accepted, and nothing was done.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// What a frame is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Sets a link up, ends it or rejects a frame.
    Control,
    /// Information for the first time.
    Information,
    /// Information again.
    Retransmission,
    /// Acknowledges, or tells whether the station is busy.
    Acknowledgement,
    /// Asks for missing frames.
    Reject,
    /// Asks how things stand.
    Enquiry,
    /// Answers a poll.
    EnquiryResponse,
    /// Belongs to no link: UI, TEST, XID.
    Unnumbered,
}

/// Why a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The user wanted it, and the other station knows.
    Requested,
    /// The user wanted it; the other station did not answer.
    RequestedNoResponse,
    /// The other station ended it.
    ByPeer,
    /// The other station does not want it.
    Refused,
    /// The other station did not answer N2 times.
    NoResponse,
}

/// Why a request was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The own address is none of the station's.
    #[error("{0} is none of the station's addresses")]
    NotOwn(Address),
    /// There is such a link, or one is being set up.
    #[error("there is a link to {0} by this way already")]
    Exists(Address),
    /// There are as many links as the station may have.
    #[error("{0} links are as many as the station may have")]
    LinkLimit(u16),
    /// There is no such link, or it is ending.
    #[error("the link is not up")]
    NoLink,
    /// More information than N1.
    #[error("{length} octets of information are beyond the link's {limit}")]
    TooLong {
        /// Octets given.
        length: usize,
        /// Octets allowed.
        limit: u16,
    },
}
