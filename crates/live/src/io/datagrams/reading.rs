//! Reading a UDP socket: a datagram, its ancillary data, and what they convert to.

use std::io::IoSliceMut;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
use rustix::io::Errno;
use sojourn_core::Time;

use super::timestamps::software;
use super::traffic_class::{self, Class};
use crate::io::addresses;
use crate::io::clock::Clock;
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::wall_clock::{ClockStepDetector, Pair, Step};

/// How a datagram is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// Return at once if none is queued.
    NonBlocking,
    /// Wait in the read call, which saves a system call. Only a datagram or an error ends it before its
    /// [timeout](super::Datagrams::set_read_timeout).
    Blocking,
}

/// Sender and arrival times of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Address and port of the sender.
    pub from: SocketAddr,
    /// When the application received it.
    pub at: Time,
    /// When the kernel received it, if it timestamps.
    pub kernel_at: Option<Time>,
    /// Datagrams that the socket had dropped by then because its buffer was full, modulo 2^32.
    pub socket_drops: u32,
}

/// The result of one read.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRead {
    /// Sender and arrival times.
    pub arrival: Arrival,
    /// Octets read, all datagrams of a GRO batch together.
    pub length: usize,
    /// Octets of each datagram of a GRO batch; equal to `length` for a single datagram.
    pub each: usize,
}

/// Reads datagrams with their ancillary data: receive timestamp, traffic class, segment size of a GRO batch.
#[derive(Debug)]
pub(super) struct Reader {
    /// Room for the ancillary data.
    control: Vec<u8>,
    /// Traffic class of the datagram read last.
    pub class: Class,
    /// Local address of the datagram read last; `None` unless enabled.
    pub local: Option<IpAddr>,
    steps: ClockStepDetector,
    /// Datagrams that the socket had dropped when it queued the last one read; the kernel omits it while it is 0.
    socket_drops: u32,
}

impl Reader {
    pub fn new() -> Reader {
        // a timestamp, the segment size, a traffic class of either version of IP, the larger of the local addresses, and the
        // number of drops
        let control = nix::cmsg_space!(nix::sys::socket::Timestamps, i32, u8, i32, libc::in6_pktinfo, u32);
        let (class, steps) = (Class::default(), ClockStepDetector::default());
        Reader { control, class, local: None, steps, socket_drops: 0 }
    }

    /// Reads a datagram or a GRO batch; `EAGAIN` if there is none, or a blocking read timed out.
    pub fn read(
        &mut self,
        socket: &UdpSocket,
        clock: &Clock,
        mode: ReadMode,
        buffer: &mut [u8],
    ) -> Result<RawRead, Errno> {
        let flags = match mode {
            ReadMode::NonBlocking => MsgFlags::MSG_DONTWAIT,
            ReadMode::Blocking => MsgFlags::empty(),
        };
        loop {
            let mut slices = [IoSliceMut::new(buffer)];
            let read = recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut self.control), flags);
            let message = match read {
                Ok(message) => message,
                Err(nix::errno::Errno::EINTR) => continue,
                Err(fault) => return Err(Errno::from_raw_os_error(fault as i32)),
            };
            let at = clock.now();
            let Some(from) = message.address.as_ref().and_then(addresses::sender) else { continue };
            let (mut stamp, mut each, mut class, mut local) = (None, None, None, None);
            for message in message.cmsgs().into_iter().flatten() {
                stamp = stamp.or(software(&message));
                each = each.or(segment_size(&message));
                class = class.or(traffic_class::of(&message));
                local = local.or(addresses::local(&message));
                if let ControlMessageOwned::RxqOvfl(drops) = message {
                    self.socket_drops = drops;
                }
            }
            let length = message.bytes;
            let kernel_at = stamp.and_then(|stamp_ns| {
                let pair = Pair::read_after(at, clock);
                self.steps.look(pair);
                pair.convert(stamp_ns)
            });
            self.class.read(class);
            self.local = local;
            let arrival = Arrival { from, at, kernel_at, socket_drops: self.socket_drops };
            return Ok(RawRead { arrival, length, each: each.unwrap_or(length) });
        }
    }

    /// Datagrams that the socket had dropped, modulo 2^32, when it queued the last one read.
    pub fn socket_drops(&self) -> u32 {
        self.socket_drops
    }

    /// Steps of this host's wall clock, as far as the kernel's timestamps showed them.
    pub fn clock_steps(&self) -> &[Step] {
        self.steps.steps()
    }
}

/// What a read without a datagram means.
pub(super) fn read_error<'a>(fault: Errno) -> Received<'a, Arrival> {
    match fault {
        Errno::AGAIN => Received::Nothing,
        fault => Received::Notice(NetworkError::from(fault)),
    }
}

/// Segment size of a GRO batch, from its control message.
fn segment_size(message: &ControlMessageOwned) -> Option<usize> {
    let ControlMessageOwned::UdpGroSegments(octets) = message else { return None };
    usize::try_from(*octets).ok().filter(|octets| *octets > 0)
}
