//! The program that returns blocks, each when all of it has come.

use sojourn_core::{Duration, Time};
use sojourn_protocols::{StreamRange, UserData};

use super::{Line, PING_STREAM, PONG_STREAM};
use crate::packet_radio::budget::Component;
use crate::packet_radio::information::Payload;
use crate::packet_radio::station::Context;

/// The program.
#[derive(Debug)]
pub struct Pong {
    size: u32,
    turnaround: Duration,
    /// Where the block that is coming begins in its stream, and how many of its octets have come.
    start: u32,
    received: u32,
    /// When a block is returned, and where it begins.
    reply: Option<(Time, u32)>,
}

impl Pong {
    /// For blocks of `size` octets.
    pub fn new(size: u32, turnaround: Duration) -> Self {
        Pong { size, turnaround, start: 0, received: 0, reply: None }
    }

    /// When it must be woken.
    pub fn next_wakeup(&self) -> Time {
        self.reply.map_or(Time::NEVER, |(at, _)| at)
    }

    /// Something has come over the serial line.
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
            if context.account.is_in(payload) {
                context.account.follow(PONG_STREAM, last);
            }
        }
    }

    /// The program may have been at work long enough.
    pub fn wake(&mut self, line: &mut Line, context: &mut Context<'_>) {
        let Some((_, start)) = self.reply.take_if(|(at, _)| *at <= context.now) else { return };
        let block = Payload::Stream(StreamRange { stream: PONG_STREAM, offset: start, length: self.size as u16 });
        if context.account.is_in(&block) {
            context.account.account(Component::Application, context.now);
        }
        line.input.write(context.now, block);
    }
}
