//! Carriers of CAN frames: an interface of this host, and the multicast groups that python-can uses for a bus.

mod carrier;
mod interface;
mod multicast;

use std::io;
use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use sojourn_protocols::can::log::Logged;

pub use self::carrier::{Carrier, Frame, owned};
pub use self::interface::{Interface, NoInterface};
pub use self::multicast::{GROUP, Group, PORT};
use crate::prober::line_peer::Channel;

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
