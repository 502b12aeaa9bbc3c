//! An interface of Linux's SocketCAN, by a raw socket.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::ifaddrs::getifaddrs;
use rustix::io::{Errno, ioctl_fionbio, read, write};
use socketcan::{CanFdSocket, CanSocket, Socket as _};
use sojourn_protocols::can::log::Logged;

use super::carrier::{Carrier, Frame, owned};

/// Octets of a classical frame, and of a CAN FD frame, as the kernel passes them (linux/can.h).
const CLASSIC: usize = 16;
const FD: usize = 72;
/// Place of the flags, and the one of CAN FD frames, which kernels before 6.0 do not set.
const FLAGS: usize = 5;
const FDF: u8 = 4;

/// An open interface.
#[derive(Debug)]
pub struct Interface {
    socket: OwnedFd,
    malformed: u64,
}

/// Why an interface of CAN cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoInterface {
    /// The kernel has no sockets of CAN.
    #[error("this kernel has no CAN sockets (AF_CAN): the modules can and can_raw are missing")]
    Modules,
    /// This host has no interface with that name.
    #[error("this host has no interface `{0}`")]
    Name(String),
    /// The interface is of another kind.
    #[error("the interface `{0}` is not a CAN interface")]
    Kind(String),
    /// The interface is down.
    #[error("the interface `{0}` is down")]
    Down(String),
    /// Anything else.
    #[error("cannot open the interface `{0}`: {1}")]
    Other(String, Errno),
}

impl NoInterface {
    /// Why opening an interface of this name failed so.
    pub fn of(name: &str, fault: &io::Error) -> NoInterface {
        let named = || name.to_owned();
        match Errno::from_io_error(fault).unwrap_or(Errno::IO) {
            Errno::AFNOSUPPORT | Errno::PROTONOSUPPORT => NoInterface::Modules,
            Errno::NODEV => {
                // bind says the same of an interface that is not CAN's
                if names().iter().any(|known| known == name) {
                    NoInterface::Kind(named())
                } else {
                    NoInterface::Name(named())
                }
            }
            Errno::NETDOWN => NoInterface::Down(named()),
            fault => NoInterface::Other(named(), fault),
        }
    }

    /// What helps.
    pub fn help(&self) -> Option<String> {
        match self {
            NoInterface::Modules => Some("as root: modprobe can_raw; can-udp:// needs no module".to_owned()),
            NoInterface::Name(name) => {
                let known = names();
                sojourn_scenario::hint::suggestion(name, known.iter().map(String::as_str))
                    .or_else(|| Some("ip -brief link lists them".to_owned()))
            }
            NoInterface::Kind(_) => Some("ip -brief link show type can lists those that are".to_owned()),
            NoInterface::Down(name) => Some(format!("as root: ip link set {name} up type can bitrate 500000")),
            NoInterface::Other(..) => None,
        }
    }
}

/// The interfaces of this host.
fn names() -> Vec<String> {
    let mut names: Vec<String> =
        getifaddrs().map(|found| found.map(|interface| interface.interface_name).collect()).unwrap_or_default();
    names.sort();
    names.dedup();
    names
}

impl Interface {
    /// Opens an interface by its name, for CAN FD where the kernel knows it.
    pub fn open(name: &str) -> io::Result<Interface> {
        // whether there are such sockets at all is asked before the name
        let any = CanSocket::open_iface(0)?;
        drop(any);
        let index = nix::net::if_::if_nametoindex(name).map_err(|_| io::Error::from(Errno::NODEV))?;
        let socket = match CanFdSocket::open_iface(index) {
            Ok(socket) => socket.as_fd().try_clone_to_owned()?,
            Err(fault) if Errno::from_io_error(&fault) == Some(Errno::NOPROTOOPT) => {
                CanSocket::open_iface(index)?.as_fd().try_clone_to_owned()?
            }
            Err(fault) => return Err(fault),
        };
        // an interface that is down is bound, with an error that waits
        rustix::net::sockopt::socket_error(&socket)??;
        Ok(Interface::over(socket)?)
    }

    /// Uses a socket that is open.
    fn over(socket: OwnedFd) -> Result<Interface, Errno> {
        ioctl_fionbio(&socket, true)?;
        Ok(Interface { socket, malformed: 0 })
    }
}

impl Carrier for Interface {
    fn file(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    fn receive(&mut self) -> Result<Frame, Errno> {
        loop {
            let mut record = [0; FD];
            let length = match read(&self.socket, &mut record) {
                Err(Errno::INTR) => continue,
                length => length?,
            };
            if length == 0 {
                return Err(Errno::NETDOWN);
            }
            match of_kernel(&mut record[..length]) {
                Some(frame) => return Ok(frame),
                None => self.malformed += 1,
            }
        }
    }

    fn send(&mut self, frame: &Frame) -> Result<(), Errno> {
        let record = to_kernel(frame);
        match write(&self.socket, &record) {
            // a queue that is full since no node acknowledges: the frame is lost, as on a bus that is off
            Ok(_) | Err(Errno::NOBUFS) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn malformed(&self) -> u64 {
        self.malformed
    }
}

/// A frame as the kernel passes it: the identifier in the byte order of this host.
fn of_kernel(record: &mut [u8]) -> Option<Frame> {
    if ![CLASSIC, FD].contains(&record.len()) {
        return None;
    }
    swap(record);
    record[FLAGS] = if record.len() == FD { record[FLAGS] | FDF } else { 0 };
    Logged::parse(record).ok().map(owned)
}

fn to_kernel(frame: &Frame) -> Vec<u8> {
    let mut record = Vec::with_capacity(FD);
    frame.emit(&mut record);
    swap(&mut record);
    record
}

/// Turns the identifier between the byte order of captures and that of this host.
fn swap(record: &mut [u8]) {
    if let Some(word) = record.first_chunk_mut::<4>() {
        *word = u32::from_be_bytes(*word).to_ne_bytes();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use sojourn_protocols::can::frame::{Content, Id};

    use super::*;

    /// An interface, and what stands for its bus: a pair of sockets that keep the borders of records.
    fn pair() -> (Interface, OwnedFd) {
        let (ours, bus) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::empty(), None).unwrap();
        (Interface::over(ours).unwrap(), bus)
    }

    fn request() -> Frame {
        Logged { id: Id::Base(0x7e0), content: Content::Data(vec![3, 0x22, 0xf1, 0x90]) }
    }

    #[test]
    fn frames_are_the_structures_of_the_kernel() {
        let (mut interface, bus) = pair();
        interface.send(&request()).unwrap();
        let mut record = [0; 100];
        assert_eq!(read(&bus, &mut record), Ok(16));
        assert_eq!(record[..4], 0x7e0_u32.to_ne_bytes());
        assert_eq!(record[4..12], [4, 0, 0, 0, 3, 0x22, 0xf1, 0x90]);
        // extended, with the flag of linux/can.h
        let answer = [&(0x18da_f110_u32 | 0x8000_0000).to_ne_bytes()[..], &[2, 0, 0, 0, 0xaa, 0xbb, 0, 0, 0, 0, 0, 0]];
        write(&bus, &answer.concat()).unwrap();
        let expected = Logged { id: Id::Extended(0x18da_f110), content: Content::Data(vec![0xaa, 0xbb]) };
        assert_eq!(interface.receive(), Ok(expected));
        assert_eq!(interface.receive(), Err(Errno::AGAIN));
    }

    #[test]
    fn a_frame_of_72_octets_is_can_fd_whether_or_not_the_kernel_says_so() {
        for flag in [0, FDF] {
            let (mut interface, bus) = pair();
            let mut record = [0; FD];
            record[..4].copy_from_slice(&0x123_u32.to_ne_bytes());
            record[4..6].copy_from_slice(&[12, 1 | flag]);
            write(&bus, &record).unwrap();
            let content = Content::Fd { data: vec![0; 12], brs: true, esi: false };
            assert_eq!(interface.receive(), Ok(Logged { id: Id::Base(0x123), content }));
        }
    }

    #[test]
    fn what_is_no_frame_is_counted_and_an_end_is_an_interface_that_is_down() {
        let (mut interface, bus) = pair();
        write(&bus, &[0; 15]).unwrap();
        // an error message of the driver
        write(&bus, &[&0x2000_0004_u32.to_ne_bytes()[..], &[8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat()).unwrap();
        assert_eq!((interface.receive(), interface.malformed()), (Err(Errno::AGAIN), 2));
        drop(bus);
        assert_eq!(interface.receive(), Err(Errno::NETDOWN));
    }

    #[test]
    fn an_interface_that_cannot_be_opened_says_what_is_missing() {
        let of = |errno: Errno| NoInterface::of("can0", &errno.into());
        let missing = of(Errno::AFNOSUPPORT);
        assert_eq!(
            missing.to_string(),
            "this kernel has no CAN sockets (AF_CAN): the modules can and can_raw are missing"
        );
        assert!(missing.help().unwrap().contains("modprobe can_raw"));
        let absent = of(Errno::NODEV);
        assert_eq!(absent, NoInterface::Name("can0".to_owned()));
        assert_eq!(
            NoInterface::of("lo", &Errno::NODEV.into()).to_string(),
            "the interface `lo` is not a CAN interface"
        );
        assert_eq!(of(Errno::NETDOWN).to_string(), "the interface `can0` is down");
        let nearest = NoInterface::Name("lo0".to_owned()).help();
        assert_eq!(nearest.as_deref(), Some("did you mean `lo`?"));
    }

    #[test]
    fn without_the_modules_or_the_interface_opening_fails_for_that_reason() {
        let fault = Interface::open("no-such-bus").unwrap_err();
        let why = NoInterface::of("no-such-bus", &fault);
        assert!(matches!(why, NoInterface::Modules | NoInterface::Name(_)), "{why}");
    }

    proptest! {
        #[test]
        fn any_record_is_a_frame_or_none(mut record in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Some(frame) = of_kernel(&mut record) {
                prop_assert_eq!(of_kernel(&mut to_kernel(&frame)), Some(frame));
            }
        }
    }
}
