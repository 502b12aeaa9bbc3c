//! A transfer: one long message to the sink, which responds with its length and SHA-256.

use bytes::Bytes;
use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use super::conversation::Application;
use super::payload::{Payload, RECEIPT_LENGTH, Receipt};
use super::translator::Counts;
use crate::progress::watch::Watch;

/// Bytes per write, in whole packets.
const CHUNK: usize = 65_536;

/// The sender of a transfer.
#[derive(Debug)]
pub struct Transfer<'a> {
    payload: Payload,
    chunk: usize,
    size: u64,
    handed_over: u64,
    began: Option<Time>,
    ended: Option<Time>,
    answer: Vec<u8>,
    watch: &'a Watch,
}

impl<'a> Transfer<'a> {
    /// `size` bytes in packets of `packet_size`.
    pub fn new(seed: u64, replication: u32, size: u64, packet_size: u32, watch: &'a Watch) -> Transfer<'a> {
        let packet_size = packet_size as usize;
        Transfer {
            payload: Payload::new(seed, replication, size),
            chunk: packet_size * (CHUNK / packet_size).max(1),
            size,
            handed_over: 0,
            began: None,
            ended: None,
            answer: Vec::with_capacity(RECEIPT_LENGTH),
            watch,
        }
    }

    /// From the first byte written to the receipt.
    pub fn duration(&self) -> Duration {
        match (self.began, self.ended) {
            (Some(began), Some(ended)) => ended.since(began),
            _ => Duration::ZERO,
        }
    }

    /// Bytes written so far.
    pub fn handed_over(&self) -> u64 {
        self.handed_over
    }

    /// SHA-256 of the bytes written, in hexadecimal.
    pub fn sha256(&self) -> String {
        self.payload.receipt().hexadecimal()
    }

    /// What is wrong with the receipt, if anything.
    pub fn damage(&self) -> Option<String> {
        let sent = self.payload.receipt();
        match Receipt::from_bytes(&self.answer) {
            Some(received) if received == sent => None,
            Some(received) => Some(format!(
                "what arrived is not what was sent: {} bytes with SHA-256 {} against {} bytes with {}",
                received.length,
                received.hexadecimal(),
                sent.length,
                sent.hexadecimal()
            )),
            None => Some(format!("the sink responded with {} bytes that are not a receipt", self.answer.len())),
        }
    }

    /// The metrics of a transfer that arrived.
    pub fn record(&self, counts: Counts, offered: u64, dropped: u64) -> Record {
        let seconds = self.duration().seconds();
        let mut time = Distribution::new();
        time.record(self.duration());
        let mut record = Record::default();
        record.observe("transaction_time", Observation::Distribution(time));
        record.scalar("throughput", self.size as f64 * 8.0 / seconds);
        record.scalar("packet_rate", counts.data as f64 / seconds);
        record.count("packets", counts.data);
        record.count("retries", counts.retransmissions);
        record.count("failures", 0);
        record.count("transaction_failures", 0);
        if dropped > 0 {
            record.scalar("loss/injected", dropped as f64 / offered as f64);
        }
        record
    }
}

impl Application for Transfer<'_> {
    fn write(&mut self, now: Time, _established: bool) -> Option<(Bytes, bool)> {
        self.began.get_or_insert(now);
        let (chunk, last) = self.payload.next_chunk(self.chunk)?;
        self.handed_over += chunk.len() as u64;
        self.watch.set_done(self.handed_over);
        Some((chunk, last))
    }

    fn take(&mut self, now: Time, data: &[u8], end_of_message: bool) {
        // more data than a receipt is not one
        let room = (RECEIPT_LENGTH + 1).saturating_sub(self.answer.len()).min(data.len());
        self.answer.extend_from_slice(&data[..room]);
        if end_of_message {
            self.ended.get_or_insert(now);
        }
    }

    fn is_done(&self) -> bool {
        self.ended.is_some()
    }
}
