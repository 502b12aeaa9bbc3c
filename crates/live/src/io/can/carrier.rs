//! What carries frames of CAN.

use std::os::fd::BorrowedFd;

use rustix::io::Errno;
use sojourn_protocols::can::log::Logged;

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
