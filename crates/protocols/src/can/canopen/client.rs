//! The client: one transfer at a time.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};

use super::{Abort, EXPEDITED, Object, SEGMENT, Sdo, Segment};

/// What happens to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientInput {
    /// Read an object.
    Upload(Object),
    /// Write this many bytes.
    Download(Object, u32),
    /// An answer of the server.
    Received(Sdo),
}

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientOutput {
    /// Transmit.
    Transmit(Sdo),
    /// The transfer of this many bytes is complete.
    Complete(u32),
    /// It is given up.
    Failed(Failure),
}

/// Why a transfer is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No answer.
    Timeout,
    /// The server aborts.
    Aborted(Abort),
    /// An answer to something else.
    Unexpected,
    /// A transfer is pending.
    Busy,
}

/// A client of one server. Data are zeros: what is transferred is of no concern here.
#[derive(Clone, Debug)]
pub struct Client {
    timeout: Duration,
    transfer: Option<Transfer>,
    outputs: VecDeque<ClientOutput>,
}

#[derive(Clone, Copy, Debug)]
struct Transfer {
    object: Object,
    reads: bool,
    size: u32,
    done: u32,
    toggle: bool,
    until: Time,
}

impl Client {
    /// A client that waits so long for an answer.
    pub fn new(timeout: Duration) -> Self {
        Client { timeout, transfer: None, outputs: VecDeque::new() }
    }

    /// whether a transfer is pending.
    pub fn is_busy(&self) -> bool {
        self.transfer.is_some()
    }

    fn begin(&mut self, now: Time, object: Object, size: Option<u32>) {
        let first = match size {
            None => Sdo::Upload(object),
            Some(size @ 1..=EXPEDITED) => Sdo::Download(object, size as u8, [0; 4]),
            Some(size) => Sdo::BeginDownload(object, size),
        };
        let (reads, size) = (size.is_none(), size.unwrap_or(0));
        self.transfer = Some(Transfer { object, reads, size, done: 0, toggle: false, until: now });
        self.ask(now, first);
    }

    fn ask(&mut self, now: Time, sdo: Sdo) {
        if let Some(transfer) = &mut self.transfer {
            transfer.until = now + self.timeout;
        }
        self.outputs.push_back(ClientOutput::Transmit(sdo));
    }

    fn received(&mut self, now: Time, sdo: Sdo) {
        let Some(transfer) = &mut self.transfer else { return };
        match sdo {
            Sdo::Abort(_, code) => self.end(ClientOutput::Failed(Failure::Aborted(code))),
            Sdo::Uploaded(_, length, _) if transfer.reads => self.end(ClientOutput::Complete(length.into())),
            Sdo::BeginUpload(_, size) if transfer.reads => {
                transfer.size = size;
                self.ask(now, Sdo::NextSegment(false));
            }
            Sdo::UploadSegment(Segment { toggle, length, is_last, .. })
                if transfer.reads && toggle == transfer.toggle =>
            {
                transfer.done = transfer.done.saturating_add(length.into());
                transfer.toggle = !toggle;
                let (done, next) = (transfer.done, transfer.toggle);
                match is_last {
                    true => self.end(ClientOutput::Complete(done)),
                    false => self.ask(now, Sdo::NextSegment(next)),
                }
            }
            Sdo::Downloaded(_) if !transfer.reads && transfer.done == 0 => match transfer.size {
                size @ 1..=EXPEDITED => self.end(ClientOutput::Complete(size)),
                _ => self.segment(now),
            },
            Sdo::SegmentTaken(toggle) if !transfer.reads && toggle == transfer.toggle => {
                transfer.toggle = !toggle;
                match transfer.done == transfer.size {
                    true => {
                        let size = transfer.size;
                        self.end(ClientOutput::Complete(size));
                    }
                    false => self.segment(now),
                }
            }
            _ => {
                let object = transfer.object;
                self.outputs.push_back(ClientOutput::Transmit(Sdo::Abort(object, Abort::COMMAND)));
                self.end(ClientOutput::Failed(Failure::Unexpected));
            }
        }
    }

    fn segment(&mut self, now: Time) {
        let Some(transfer) = &mut self.transfer else { return };
        let length = (transfer.size - transfer.done).min(SEGMENT);
        transfer.done += length;
        let is_last = transfer.done == transfer.size;
        let segment = Segment { toggle: transfer.toggle, length: length as u8, is_last, data: [0; 7] };
        self.ask(now, Sdo::DownloadSegment(segment));
    }

    fn end(&mut self, output: ClientOutput) {
        self.transfer = None;
        self.outputs.push_back(output);
    }
}

impl Machine for Client {
    type Input = ClientInput;
    type Output = ClientOutput;

    /// A transfer while another [is pending](Client::is_busy) fails.
    fn handle(&mut self, now: Time, input: ClientInput) {
        match input {
            ClientInput::Received(sdo) => self.received(now, sdo),
            _ if self.is_busy() => self.outputs.push_back(ClientOutput::Failed(Failure::Busy)),
            ClientInput::Upload(object) => self.begin(now, object, None),
            ClientInput::Download(object, size) => self.begin(now, object, Some(size)),
        }
    }

    fn wake(&mut self, now: Time) {
        if let Some(Transfer { object, until, .. }) = self.transfer
            && until <= now
        {
            self.outputs.push_back(ClientOutput::Transmit(Sdo::Abort(object, Abort::TIMEOUT)));
            self.end(ClientOutput::Failed(Failure::Timeout));
        }
    }

    fn poll_output(&mut self) -> Option<ClientOutput> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.transfer.map(|transfer| transfer.until)
    }
}
