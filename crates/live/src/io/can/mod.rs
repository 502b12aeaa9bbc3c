//! Carriers of CAN frames: an interface of this host, and the multicast groups that python-can uses for a bus.

mod interface;
mod multicast;

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use sojourn_protocols::can::log::Logged;

pub use self::interface::{Interface, NoInterface};
pub use self::multicast::{GROUP, Group, PORT};
use crate::prober::line_peer::Channel;

/// A frame with its data.
pub type Frame = Logged<Vec<u8>>;

/// What carries frames, without blocking.
pub trait Carrier: Send {
    /// What is readable once a frame may have come.
    fn file(&self) -> BorrowedFd<'_>;

    /// The next frame of another node; `AGAIN` if none is queued. What cannot be read as one is passed.
    fn receive(&mut self) -> Result<Frame, Errno>;

    /// Sends a frame.
    fn send(&mut self, frame: &Frame) -> Result<(), Errno>;

    /// What came and was no frame.
    fn malformed(&self) -> u64;
}

/// Where frames are carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bus {
    /// An interface of this host, by its name.
    Interface(String),
    /// A multicast group.
    Group(Group),
}

impl Bus {
    /// Opens the carrier.
    pub fn open(&self) -> io::Result<Box<dyn Carrier>> {
        Ok(match self {
            Bus::Interface(name) => Box::new(Interface::open(name)?),
            Bus::Group(group) => Box::new(group.join()?),
        })
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Bus::Interface(name) => name.clone(),
            Bus::Group(group) => group.address.to_string(),
        }
    }
}

/// Records of SocketCAN, one frame each.
impl Channel for Box<dyn Carrier> {
    fn file(&self) -> BorrowedFd<'_> {
        (**self).file()
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let mut record = Vec::new();
        self.receive()?.emit(&mut record);
        buffer[..record.len()].copy_from_slice(&record);
        Ok(record.len())
    }

    fn write(&mut self, octets: &[u8]) -> Result<usize, Errno> {
        let frame = owned(Logged::parse(octets).map_err(|_| Errno::INVAL)?);
        self.send(&frame)?;
        Ok(octets.len())
    }
}

/// A frame with data of its own.
pub fn owned(frame: Logged<&[u8]>) -> Frame {
    use sojourn_protocols::can::frame::Content;
    let content = match frame.content {
        Content::Data(data) => Content::Data(data.to_vec()),
        Content::Remote(code) => Content::Remote(code),
        Content::Fd { data, brs, esi } => Content::Fd { data: data.to_vec(), brs, esi },
    };
    Logged { id: frame.id, content }
}
