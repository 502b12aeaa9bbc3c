//! The program that returns blocks, each when it is complete.

use sojourn_core::{Duration, Time};
use sojourn_protocols::{StreamRange, UserData};

use super::line::Line;
use crate::context::Context;
use crate::information::{PING_STREAM, PONG_STREAM, Payload};
use crate::latency_budget::Component;

/// State of the program.
#[derive(Clone, Debug)]
pub struct Pong {
    size: u32,
    turnaround: Duration,
    /// Start of the current block in its stream, and how many of its octets have arrived.
    start: u32,
    received: u32,
    /// When the block is returned, and its start.
    reply: Option<(Time, u32)>,
}

impl Pong {
    /// The program for blocks of `size` octets.
    pub fn new(size: u32, turnaround: Duration) -> Self {
        Pong { size, turnaround, start: 0, received: 0, reply: None }
    }

    /// Next wake-up.
    pub fn next_wakeup(&self) -> Time {
        self.reply.map_or(Time::NEVER, |(at, _)| at)
    }

    /// Data have arrived over the serial line.
    pub fn received(&mut self, context: &mut Context<'_>, payload: &Payload) {
        let Payload::Stream(range) = payload else { return };
        if range.stream != PING_STREAM {
            return;
        }
        let start = range.offset / self.size * self.size;
        if start == range.offset || start != self.start {
            (self.start, self.received) = (start, 0);
        }
        self.received += range.length() as u32;
        let last = start + self.size - 1;
        if self.received == self.size && payload.contains(PING_STREAM, last) {
            self.reply = Some((context.now + self.turnaround, start));
            if context.round_trips.contains_octet(payload) {
                context.round_trips.follow(PONG_STREAM, last);
            }
        }
    }

    /// The turnaround time may be over.
    pub fn wake(&mut self, line: &mut Line, context: &mut Context<'_>) {
        let Some((_, start)) = self.reply.take_if(|(at, _)| *at <= context.now) else { return };
        let block = Payload::Stream(StreamRange { stream: PONG_STREAM, offset: start, length: self.size as u16 });
        if context.round_trips.contains_octet(&block) {
            context.round_trips.account(Component::Application, context.now);
        }
        line.input.write(context.now, block);
    }
}
