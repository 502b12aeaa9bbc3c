//! Inputs and outputs of a station, and the names of its links.

use thiserror::Error;

use super::settings::Version;
use crate::ax25::wire::{Address, Addressing, Digipeaters, Frame, Modulo, Pid, Role};

/// The two addresses of a link, and the digipeater path between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkKey {
    /// The own address of this end of the link.
    pub own: Address,
    /// The AX.25 address of the peer.
    pub peer: Address,
    /// The digipeaters from this station to the peer.
    pub digipeaters: Digipeaters,
}

/// A link of a station. The serial number distinguishes a link from earlier ones in the same slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId {
    pub(super) index: u16,
    pub(super) serial: u32,
}

impl LinkKey {
    /// A link between stations in direct range.
    pub const fn direct(own: Address, peer: Address) -> Self {
        LinkKey { own, peer, digipeaters: Digipeaters::NONE }
    }

    /// The link that a received frame belongs to, as seen by its destination.
    pub fn of_received(addressing: &Addressing) -> Self {
        let digipeaters = addressing.digipeaters.reversed();
        LinkKey { own: addressing.destination, peer: addressing.source, digipeaters }
    }

    /// The address field of a frame to the peer.
    pub const fn addressing(&self, role: Role) -> Addressing {
        Addressing::new(self.own, self.peer, self.digipeaters, role)
    }
}

/// What a driver passes to a station.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<D> {
    /// The user requests a link; [`Station::link`](super::Station::link) then returns it.
    Connect {
        /// Addresses and path of the link.
        key: LinkKey,
    },
    /// The user sends information in one I frame, once the link is up.
    Send {
        /// The link that it concerns.
        link: LinkId,
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field, at most N1 octets.
        data: D,
    },
    /// The user releases a link at once; queued frames are dropped.
    Disconnect {
        /// The link that it concerns.
        link: LinkId,
    },
    /// Sets or clears own receiver busy: whether the user accepts information.
    SetBusy {
        /// The link that it concerns.
        link: LinkId,
        /// Whether the receiver is busy.
        busy: bool,
    },
    /// The user sends a UI frame.
    SendUnnumbered {
        /// Source, destination and path.
        key: LinkKey,
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field of the frame.
        data: D,
    },
    /// The user sends a TEST command; the peer returns its information.
    SendTest {
        /// Source, destination and path.
        key: LinkKey,
        /// The information that the peer returns.
        data: D,
    },
    /// A frame with a valid FCS was received.
    Receive {
        /// The frame with its addresses.
        frame: Frame<D>,
    },
    /// LM-SEIZE confirm: the station has the channel and transmits one burst.
    SeizeConfirm {
        /// Maximum I frames in the burst, over all links; other frames are few and not limited.
        information_frames: u16,
    },
    /// All frames passed so far have been transmitted.
    Transmitted,
    /// The channel became busy or the station keyed its transmitter, or both conditions ended.
    ChannelBusy {
        /// Whether the channel is busy.
        busy: bool,
    },
}

/// What a station requests of or reports to its driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<D> {
    /// LM-SEIZE request: frames wait for the channel. Emitted once until [`Input::SeizeConfirm`].
    SeizeRequest,
    /// Transmit a frame, after those of earlier outputs.
    Transmit {
        /// The link of the frame; `None` for a frame outside any link.
        link: Option<LinkId>,
        /// The frame with its addresses.
        frame: Frame<D>,
        /// Why the frame is sent.
        purpose: Purpose,
    },
    /// A link is up.
    Connected {
        /// The link that it concerns.
        link: LinkId,
        /// Whether the peer set it up.
        incoming: bool,
        /// The protocol version of the link.
        version: Version,
        /// The modulus of the link.
        modulo: Modulo,
    },
    /// Information of a link, in sequence.
    Deliver {
        /// The link that it concerns.
        link: LinkId,
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field of the frame.
        data: D,
    },
    /// The peer acknowledged further I frames.
    Acknowledged {
        /// The link that it concerns.
        link: LinkId,
        /// Number of frames newly acknowledged.
        frames: u8,
    },
    /// Peer receiver busy was set (RNR) or cleared.
    PeerBusy {
        /// The link that it concerns.
        link: LinkId,
        /// Whether the receiver is busy.
        busy: bool,
    },
    /// A link was re-established: frames in flight may or may not have arrived.
    Reset {
        /// The link that it concerns.
        link: LinkId,
        /// Frames dropped that were unacknowledged or not sent.
        lost: u32,
    },
    /// A link is down, or could not be established.
    Disconnected {
        /// The link that it concerns.
        link: LinkId,
        /// Why the link ended.
        cause: Cause,
        /// Frames dropped that were unacknowledged or not sent.
        lost: u32,
    },
    /// A UI frame was received.
    Unnumbered {
        /// The addresses of the received frame.
        addressing: Addressing,
        /// The layer 3 protocol of the information.
        pid: Pid,
        /// The information field of the frame.
        data: D,
    },
    /// A TEST response was received.
    TestResponse {
        /// The addresses of the received frame.
        addressing: Addressing,
        /// The information that the peer returned.
        data: D,
    },
    /// A request was refused and has no effect.
    Refused {
        /// Why the link ended.
        refusal: Refusal,
    },
}

/// Why a frame is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Establishes or releases a link, or rejects a frame.
    Control,
    /// An I frame sent for the first time.
    Information,
    /// An I frame sent again.
    Retransmission,
    /// RR or RNR: acknowledges, or reports own receiver busy.
    Acknowledgement,
    /// REJ or SREJ: requests missing frames.
    Reject,
    /// RR or RNR command with P (transmit enquiry).
    Enquiry,
    /// RR or RNR response with F (enquiry response).
    EnquiryResponse,
    /// A frame outside any link: UI, TEST, XID.
    Unnumbered,
}

/// Why a link is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The user released it, and the peer confirmed.
    Requested,
    /// The user released it, and the peer did not respond.
    RequestedNoResponse,
    /// The peer released it.
    ByPeer,
    /// The peer refused it with DM.
    Refused,
    /// N2 tries had no response.
    NoResponse,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The source address does not belong to the station.
    #[error("{0} is not an address of this station")]
    NotOwn(Address),
    /// The link exists, or is being established.
    #[error("a link to {0} over this path already exists")]
    Exists(Address),
    /// The station has `max_links` links.
    #[error("the station has its maximum of {0} links")]
    LinkLimit(u16),
    /// The link does not exist, or is being released.
    #[error("the link is not up")]
    NoLink,
    /// More information than N1.
    #[error("{length} octets of information exceed the link's N1 of {limit}")]
    TooLong {
        /// Length of the information in octets.
        length: usize,
        /// N1 of the link in octets.
        limit: u16,
    },
}
