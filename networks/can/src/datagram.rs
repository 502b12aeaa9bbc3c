//! Datagrams with frames, as cannelloni has them (`doc/udp_format.md`): a header, and of each frame its identifier, length and data.

use sojourn_core::{Duration, Time};

use crate::site::IpLink;

/// Octets around the frames of a datagram: preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, and a header of 5.
const DATAGRAM: u64 = 71;
/// Octets of a frame beside its data: identifier and length; of CAN FD flags.
const FRAME: u64 = 5;
/// Most octets of frames in a datagram within an MTU of 1500.
const MOST: u64 = 1467;

/// Frames that a port collects for its next datagram.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    frames: Vec<u32>,
    octets: u64,
    /// When they are sent; an event for another instant is void.
    pub due: Option<Time>,
    /// When the link is free.
    free_at: Time,
}

impl Collected {
    /// Whether a datagram has room for this many more octets.
    pub fn has_room(&self, octets: u64) -> bool {
        self.octets + octets <= MOST
    }

    /// Adds a frame of this many octets.
    pub fn add(&mut self, frame: u32, octets: u64) {
        self.frames.push(frame);
        self.octets += octets;
    }

    /// Sends what has been collected: the frames, and when the link has carried them.
    pub fn send(&mut self, now: Time, link: IpLink) -> (Vec<u32>, Time) {
        let octets = DATAGRAM + self.octets;
        self.free_at = self.free_at.max(now) + Duration::from_units(octets * 8, link.rate);
        (self.clear(), self.free_at)
    }

    /// Takes what has been collected.
    pub fn clear(&mut self) -> Vec<u32> {
        (self.octets, self.due) = (0, None);
        std::mem::take(&mut self.frames)
    }
}

/// Octets of a frame in a datagram.
pub fn octets(bytes: u64, is_fd: bool) -> u64 {
    FRAME + u64::from(is_fd) + bytes
}

/// The time of a datagram with one frame on a link.
pub fn alone(link: IpLink, bytes: u64, is_fd: bool) -> Duration {
    Duration::from_units((DATAGRAM + octets(bytes, is_fd)) * 8, link.rate)
}
