//! The server of one object of a given length.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use super::{Abort, EXPEDITED, Object, SEGMENT, Sdo, Segment};

/// What a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerOutput {
    /// Transmit.
    Transmit(Sdo),
    /// This many bytes were written.
    Written(u32),
    /// This many bytes were read.
    Read(u32),
}

/// A server of an object of this many bytes.
#[derive(Clone, Debug)]
pub struct Server {
    size: u32,
    transfer: Option<Transfer>,
    outputs: VecDeque<ServerOutput>,
}

#[derive(Clone, Copy, Debug)]
struct Transfer {
    object: Object,
    reads: bool,
    size: u32,
    done: u32,
    toggle: bool,
}

impl Server {
    /// A server without a transfer.
    pub fn new(size: u32) -> Self {
        Server { size, transfer: None, outputs: VecDeque::new() }
    }

    fn received(&mut self, sdo: Sdo) {
        let size = self.size;
        match sdo {
            Sdo::Upload(object) => match size {
                1..=EXPEDITED => {
                    self.transfer = None;
                    self.answer(Sdo::Uploaded(object, size as u8, [0; 4]));
                    self.outputs.push_back(ServerOutput::Read(size));
                }
                _ => {
                    self.transfer = Some(Transfer { object, reads: true, size, done: 0, toggle: false });
                    self.answer(Sdo::BeginUpload(object, size));
                }
            },
            Sdo::NextSegment(toggle) => self.upload_segment(toggle),
            Sdo::Download(object, length, _) => {
                self.transfer = None;
                self.answer(Sdo::Downloaded(object));
                self.outputs.push_back(ServerOutput::Written(length.into()));
            }
            Sdo::BeginDownload(object, size) => {
                self.transfer = Some(Transfer { object, reads: false, size, done: 0, toggle: false });
                self.answer(Sdo::Downloaded(object));
            }
            Sdo::DownloadSegment(segment) => self.download_segment(segment),
            Sdo::Abort(..) => self.transfer = None,
            _ => {}
        }
    }

    fn upload_segment(&mut self, toggle: bool) {
        let Some(transfer) = self.transfer.as_mut().filter(|transfer| transfer.reads && transfer.toggle == toggle)
        else {
            return self.abort();
        };
        let length = (transfer.size - transfer.done).min(SEGMENT);
        transfer.done += length;
        transfer.toggle = !toggle;
        let (is_last, size) = (transfer.done == transfer.size, transfer.size);
        self.answer(Sdo::UploadSegment(Segment { toggle, length: length as u8, is_last, data: [0; 7] }));
        if is_last {
            self.transfer = None;
            self.outputs.push_back(ServerOutput::Read(size));
        }
    }

    fn download_segment(&mut self, segment: Segment) {
        let matches = |transfer: &&mut Transfer| !transfer.reads && transfer.toggle == segment.toggle;
        let Some(transfer) = self.transfer.as_mut().filter(matches) else { return self.abort() };
        transfer.done = transfer.done.saturating_add(segment.length.into());
        transfer.toggle = !segment.toggle;
        let done = transfer.done;
        self.answer(Sdo::SegmentTaken(segment.toggle));
        if segment.is_last {
            self.transfer = None;
            self.outputs.push_back(ServerOutput::Written(done));
        }
    }

    fn answer(&mut self, sdo: Sdo) {
        self.outputs.push_back(ServerOutput::Transmit(sdo));
    }

    fn abort(&mut self) {
        if let Some(Transfer { object, .. }) = self.transfer.take() {
            self.answer(Sdo::Abort(object, Abort::TOGGLE));
        }
    }
}

impl Machine for Server {
    type Input = Sdo;
    type Output = ServerOutput;

    fn handle(&mut self, _now: Time, input: Sdo) {
        self.received(input);
    }

    fn wake(&mut self, _now: Time) {}

    fn poll_output(&mut self) -> Option<ServerOutput> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        None
    }
}
