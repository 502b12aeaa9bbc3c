//! A frame as a capture file of link type 10, LINKTYPE_FDDI, holds it.

use super::control::FrameControl;
use super::error::EmitError;
use super::frame::Frame;
use crate::UserData;

/// Replaces `record` by the frame's bytes from FC to INFO, without FCS, addresses bit-reversed.
///
/// Readers hand only asynchronous LLC frames to their LLC dissectors: with `show_synchronous_as_asynchronous`, a
/// synchronous LLC frame bears frame control 50 plus its control bits, in the capture alone.
pub fn capture_record<D: UserData>(
    frame: &Frame<D>,
    show_synchronous_as_asynchronous: bool,
    record: &mut Vec<u8>,
) -> Result<(), EmitError> {
    frame.check()?;
    record.clear();
    record.resize(frame.length_without_fcs(), 0);
    frame.fill(record);
    if let (FrameControl::SynchronousLlc(bits), true) = (frame.control, show_synchronous_as_asynchronous) {
        record[0] = FrameControl::AsynchronousLlc(bits).byte();
    }
    Ok(())
}
