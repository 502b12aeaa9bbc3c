//! Capture file records of LINKTYPE_FDDI (10).

use super::control::FrameControl;
use super::error::EmitError;
use super::frame::Frame;
use crate::UserData;

/// Replaces `record` by the frame's bytes from FC to INFO, without FCS, addresses bit-reversed.
///
/// Analyzers dissect the LLC of asynchronous frames only: with `show_synchronous_as_asynchronous`, the record of a
/// synchronous LLC frame has frame control 50 plus its control bits.
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
