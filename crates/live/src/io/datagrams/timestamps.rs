//! The error queue of a socket: kernel software timestamps (SO_TIMESTAMPING) of sent datagrams, which timestamps the
//! kernel supports, and ICMP errors (IP_RECVERR).

use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, TimestampingFlag, recvmsg, setsockopt, sockopt,
};
use rustix::io::Errno;
use sojourn_core::Time;

use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;

/// Origins of messages in the error queue: ICMP, ICMPv6 and timestamping (`SO_EE_ORIGIN_*`, linux/errqueue.h).
const FROM_ICMP: u8 = 2;
const FROM_ICMP6: u8 = 3;
const FROM_STAMPING: u8 = 4;

/// Which timestamps the kernel of this host takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct TimestampingSupport {
    /// Whether it timestamps outgoing packets.
    pub kernel_transmit: bool,
    /// Whether it timestamps incoming packets.
    pub kernel_receive: bool,
}

/// The timestamps of a socket: what the kernel takes, and those of datagrams sent that are not read yet.
#[derive(Debug)]
pub(super) struct Timestamps {
    pub support: TimestampingSupport,
    /// Datagrams sent; the kernel's timestamps refer to this count.
    sent: u32,
    /// Transmit timestamps not read yet.
    pending: u32,
    /// Whether something may be in the error queue besides timestamps.
    error_queue_pending: bool,
    /// The last ICMP error read from the error queue; reading it there clears it elsewhere.
    icmp_error: Option<Errno>,
    /// Room for the ancillary data of a message in the error queue.
    control: Vec<u8>,
}

impl Timestamps {
    /// Enables all software timestamps that the kernel supports.
    pub fn enabled(socket: &UdpSocket) -> Timestamps {
        // a timestamp, and the number of its datagram with a socket address
        let control = nix::cmsg_space!(nix::sys::socket::Timestamps, [u8; 64]);
        let (support, icmp_error) = (enable(socket), None);
        Timestamps { support, sent: 0, pending: 0, error_queue_pending: false, icmp_error, control }
    }

    /// Disables timestamps and discards those that are queued.
    pub fn disable(&mut self, socket: &UdpSocket, clock: &Clock) {
        if setsockopt(socket, sockopt::Timestamping, &TimestampingFlag::empty()).is_ok() {
            self.support = TimestampingSupport::default();
            while self.poll(socket, clock).is_some() {}
            self.pending = 0;
        }
    }

    /// A datagram was sent; returns the number that [`Timestamps::poll`] refers to it by.
    pub fn sent(&mut self) -> u32 {
        self.sent = self.sent.wrapping_add(1);
        self.pending += u32::from(self.support.kernel_transmit);
        self.sent.wrapping_sub(1)
    }

    /// The last ICMP error read from the error queue, once.
    pub fn take_icmp_error(&mut self) -> Option<Errno> {
        self.icmp_error.take()
    }

    /// Whether a poll found the error queue non-empty, or a call an error that may be in it.
    pub fn found(&mut self, error_queue: bool) {
        self.error_queue_pending |= error_queue;
    }

    /// The next transmit timestamp, with the number of its datagram; `None` if none is queued. The error queue is read only
    /// while timestamps are pending or a poll found it non-empty.
    pub fn poll(&mut self, socket: &UdpSocket, clock: &Clock) -> Option<(u32, Time)> {
        while self.pending > 0 || self.error_queue_pending {
            let message = recvmsg::<SockaddrStorage>(
                socket.as_raw_fd(),
                &mut [],
                Some(&mut self.control),
                MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_ERRQUEUE,
            );
            let Ok(message) = message else {
                self.error_queue_pending = false;
                return None;
            };
            let pair = Pair::read(clock);
            let (mut number, mut stamp) = (None, None);
            for message in message.cmsgs().ok()? {
                stamp = stamp.or(software(&message));
                let (ControlMessageOwned::Ipv4RecvErr(fault, _) | ControlMessageOwned::Ipv6RecvErr(fault, _)) = message
                else {
                    continue;
                };
                match fault.ee_origin {
                    FROM_STAMPING => number = number.or(Some(fault.ee_data)),
                    FROM_ICMP | FROM_ICMP6 => self.icmp_error = Some(Errno::from_raw_os_error(fault.ee_errno as i32)),
                    _ => {}
                }
            }
            self.pending = self.pending.saturating_sub(u32::from(number.is_some()));
            if let (Some(number), Some(at)) = (number, stamp.and_then(|stamp_ns| pair.convert(stamp_ns))) {
                return Some((number, at));
            }
        }
        None
    }
}

/// Enables all software timestamps that the kernel supports.
fn enable(socket: &UdpSocket) -> TimestampingSupport {
    let receive = TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE;
    let transmit = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_ID
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    let granted = |flags| setsockopt(socket, sockopt::Timestamping, &flags).is_ok();
    if granted(receive | transmit) {
        return TimestampingSupport { kernel_transmit: true, kernel_receive: true };
    }
    TimestampingSupport { kernel_transmit: false, kernel_receive: granted(receive) }
}

/// The kernel's timestamp, in nanoseconds since 1970.
pub(super) fn software(message: &ControlMessageOwned) -> Option<i64> {
    let ControlMessageOwned::ScmTimestampsns(stamps) = message else { return None };
    let stamp_ns = stamps.system.tv_sec() * 1_000_000_000 + stamps.system.tv_nsec();
    (stamp_ns > 0).then_some(stamp_ns)
}
