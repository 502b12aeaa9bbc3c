//! Sending half of a context: data written, sent, reported lost, and released.

use super::association::Association;
use super::configuration::{Configuration, ErrorControl, Rate, RequestBy, Requests};
use super::outcome::{Refusal, Violation};
use super::output::Output;
use super::rate_control::RateControl;
use super::send_queue::{Piece, SendQueue};
use super::store::{Segment, Store};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Control, Options, Span, Specification, Traffic};

/// State of the stream sent to the peer.
#[derive(Clone, Debug)]
pub(super) struct Sender<D> {
    /// `seq`: sequence number of the next byte to send.
    pub seq: u64,
    /// Highest `rseq` reported: lowest byte not acknowledged.
    rseq: u64,
    /// Highest `alloc`: one above the last byte that may be sent.
    alloc: u64,
    /// Whether the receiver has reported an allocation.
    granted: bool,
    queue: SendQueue<D>,
    pub store: Store<D>,
    /// Maximum data bytes of a packet.
    max_data: u32,
    pub rate_control: RateControl,
    /// Whether the user has closed the stream.
    pub closing: bool,
    /// Whether WCLOSE was sent.
    pub close_sent: bool,
    /// Whether the peer set RCLOSE.
    pub peer_closed: bool,
    /// Whether a write was refused because the send buffer was full.
    refused_write: bool,
    /// Retransmissions of the lowest unacknowledged data.
    repeats: u8,
    /// Packets since the last status request.
    since_request: u32,
    /// EDGE of the next packet.
    pub edge: bool,
}

impl<D: StreamData> Sender<D> {
    pub fn new(configuration: &Configuration) -> Self {
        Sender {
            seq: 0,
            rseq: 0,
            alloc: u64::from(configuration.initial_window),
            granted: false,
            queue: SendQueue::new(),
            store: Store::default(),
            max_data: configuration.max_data,
            rate_control: RateControl::new(configuration.send_rate),
            closing: false,
            close_sent: false,
            peer_closed: false,
            refused_write: false,
            repeats: 0,
            since_request: 0,
            edge: false,
        }
    }

    /// Bytes in the send buffer: written and not released.
    #[inline]
    pub fn queued(&self) -> u64 {
        self.queue.bytes() + (self.seq - self.rseq)
    }

    #[inline]
    pub fn has_unsent(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether there are data to send or retransmit.
    pub fn has_data(&self) -> bool {
        self.has_unsent() || self.store.has_lost()
    }

    /// Whether all data written were sent and acknowledged.
    #[inline]
    pub fn all_acknowledged(&self) -> bool {
        self.queue.is_empty() && self.rseq == self.seq
    }

    /// Whether the stream was closed and acknowledged completely.
    pub fn is_finished(&self) -> bool {
        self.closing && self.close_sent && self.peer_closed && self.all_acknowledged()
    }

    /// Accepts data of the user.
    pub fn write<H>(&mut self, association: &Association<H>, data: D, end_of_message: bool) -> Result<(), Refusal> {
        if self.closing {
            return Err(Refusal::Closed);
        }
        if association.is_multicast_receiver() {
            return Err(Refusal::OneWay);
        }
        if data.length() == 0 {
            return Err(Refusal::Empty);
        }
        if self.queued() >= u64::from(association.configuration.send_buffer) {
            self.refused_write = true;
            return Err(Refusal::BufferFull);
        }
        self.queue.push(data, end_of_message);
        Ok(())
    }

    /// Queues the data of FIRST.
    pub fn write_first(&mut self, data: D, end_of_message: bool) {
        if data.length() > 0 {
            self.queue.push(data, end_of_message);
        }
    }

    /// Length of the data in FIRST, at most `window`.
    pub fn first_length(&self, window: u32) -> usize {
        self.queue.next_length(self.max_data).unwrap_or(0).min(window as usize)
    }

    /// Length of the next packet, if there are data and allocation for it. With nothing in flight a packet is shortened to
    /// the allocation.
    #[inline]
    pub fn next_length(&self, configuration: &Configuration) -> Option<usize> {
        let length = self.queue.next_length(self.max_data)?;
        if !configuration.flow_control {
            return Some(length);
        }
        let room = self.alloc.saturating_sub(self.seq);
        if length as u64 <= room {
            return Some(length);
        }
        (room > 0 && self.store.is_empty()).then_some(room as usize)
    }

    /// Removes the next `length` bytes from the queue, to be sent now.
    #[inline(always)]
    pub fn take(&mut self, length: usize) -> Option<Piece<D>> {
        let piece = self.queue.take(length)?;
        self.seq += length as u64;
        self.rate_control.spend(length as u64);
        Some(piece)
    }

    /// The option by which a new data packet requests status; `None` if it does not. The last packet that the allocation
    /// permits also sets DREQ.
    #[inline]
    pub fn status_request(&mut self, configuration: &Configuration, end_of_message: bool) -> Option<Options> {
        self.since_request = self.since_request.saturating_add(1);
        let chosen = match configuration.requests {
            Requests::EveryPacket => true,
            Requests::Every(count) => count > 0 && self.since_request >= count,
            Requests::EveryMessage => end_of_message,
            Requests::Never => return None,
        };
        let last = self.next_length(configuration).is_none();
        if !chosen && !last {
            return None;
        }
        self.since_request = 0;
        let option = match configuration.request_by {
            RequestBy::Sreq => Options::SREQ,
            RequestBy::Dreq => Options::DREQ,
            RequestBy::Edge => {
                self.edge = !self.edge;
                Options::NONE
            }
        };
        Some(option.with(Options::DREQ, last && self.has_unsent()))
    }

    /// Stores a segment until it is released, or discards it at once (NOERR), which frees send buffer space.
    #[inline]
    pub fn keep<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>, segment: Segment<D>) {
        if association.configuration.error_control == ErrorControl::None {
            self.rseq = self.seq;
            self.signal_writable(turn, association);
        } else {
            self.store.push(segment);
        }
    }

    /// Whether lost data at `seq` are within the allocation.
    pub fn is_allocated(&self, configuration: &Configuration, seq: u64) -> bool {
        !configuration.flow_control || !self.granted || seq < self.alloc.max(1)
    }

    /// Counts a retransmission at `seq`; `false` if the lowest unacknowledged data were retransmitted `limit` times.
    pub fn count_retransmission(&mut self, seq: u64, limit: u8) -> bool {
        if seq <= self.rseq {
            if self.repeats >= limit {
                return false;
            }
            self.repeats += 1;
        }
        true
    }

    /// Rejects an `rseq` above the sequence numbers sent.
    #[inline]
    pub fn check_rseq(&self, rseq: u64) -> Result<(), Violation> {
        if rseq > self.seq { Err(Violation::RseqBeyondSeq) } else { Ok(()) }
    }

    /// Rejects spans that are empty, unordered, overlapping, or outside the data sent.
    #[inline]
    pub fn check_spans(&self, rseq: u64, spans: &[Span]) -> Result<(), Violation> {
        let mut held = rseq;
        for span in spans {
            if span.left <= held && !(span.left == held && held > rseq) || span.right <= span.left {
                return Err(Violation::Spans);
            }
            held = span.right;
        }
        if held > self.seq { Err(Violation::Spans) } else { Ok(()) }
    }

    /// Processes a reported allocation; returns whether it is new.
    #[inline]
    pub fn grant(&mut self, alloc: u64) -> bool {
        let new = !self.granted || alloc > self.alloc;
        if new {
            (self.alloc, self.granted) = (alloc, true);
        }
        new
    }

    /// Releases the data before a reported `rseq`.
    #[inline(always)]
    pub fn release<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>, rseq: u64) {
        if rseq < self.rseq {
            return; // an old report
        }
        if rseq > self.rseq {
            self.repeats = 0;
        }
        self.rseq = rseq;
        self.store.release(rseq);
        self.signal_writable(turn, association);
    }

    /// Determines from a report what to retransmit, all after the first gap if it `goes_back`.
    #[inline(always)]
    pub fn find_lost(&mut self, control: &Control, spans: &[Span], goes_back: bool) {
        if goes_back {
            self.store.go_back(control.rseq, control.echo);
        } else {
            self.store.hold(spans);
            self.store.mark_lost(control.echo, spans.last().map_or(control.rseq, |span| span.right));
        }
    }

    /// Signals free send buffer space after a refused write.
    #[inline]
    fn signal_writable<H>(&mut self, turn: &mut Turn<'_, D, H>, association: &Association<H>) {
        let room = self.queued() < u64::from(association.configuration.send_buffer);
        if self.refused_write && room && !self.closing {
            self.refused_write = false;
            turn.emit(Output::Writable { context: association.id });
        }
    }

    /// Applies the limits of the peer's traffic segment.
    pub fn limit(&mut self, traffic: &Traffic) {
        if let Specification::Rates { max_data, in_rate, in_burst, .. } = traffic.specification {
            self.max_data = self.max_data.min(max_data.max(1));
            self.rate_control.lower(Rate { bytes_per_second: in_rate, burst: in_burst.max(1) });
        }
    }

    /// Discards all data that are not acknowledged.
    pub fn drop_data(&mut self) {
        self.store.clear();
        self.queue = SendQueue::new();
        self.rseq = self.seq;
    }
}
