//! A host's ATM adapter: segments packets into cells and serves its connections in turn, at the rate of the link or
//! at the rates of their ABR sources.

use std::collections::VecDeque;

use sojourn_core::Time;
use sojourn_protocols::atm::Direction;
use sojourn_protocols::atm::abr::{self, RmCell, Source};

use super::cell::Cell;
use super::line::Line;
use super::transit::Transit;

/// The sending side of an adapter.
#[derive(Clone, Debug, Default)]
pub struct Adapter {
    channels: Vec<Channel>,
    /// Whose turn it is.
    next: usize,
}

/// A connection that begins here.
#[derive(Clone, Debug)]
struct Channel {
    connection: u32,
    /// Its first step.
    step: u32,
    /// Datagrams that wait, by number.
    waiting: VecDeque<u32>,
    /// Cells left of the first of them.
    left: u32,
    source: Option<Source>,
    /// Whether backward cells leave whatever the source's rate.
    bypasses: bool,
    /// Those that wait to do so.
    bypassing: VecDeque<RmCell>,
}

impl Adapter {
    /// Adds a connection that begins here; its number among them.
    pub fn add(&mut self, connection: u32, step: u32, source: Option<Source>, bypasses: bool) -> u32 {
        let (waiting, bypassing) = (VecDeque::new(), VecDeque::new());
        self.channels.push(Channel { connection, step, waiting, left: 0, source, bypasses, bypassing });
        self.channels.len() as u32 - 1
    }

    /// A datagram of this many cells is handed over. All before `now` must be settled.
    pub fn hand_over(&mut self, now: Time, channel: u32, datagram: u32, cells: u32, line: &mut Line) {
        let channel = &mut self.channels[channel as usize];
        if channel.waiting.is_empty() {
            channel.left = cells;
        }
        channel.waiting.push_back(datagram);
        line.queue.join(now, cells);
        self.reckon(now, line);
    }

    /// A resource management cell came back. All before `now` must be settled.
    pub fn answer(&mut self, now: Time, channel: u32, content: RmCell, line: &mut Line, transit: &mut Transit) {
        let Channel { source: Some(source), connection, .. } = &mut self.channels[channel as usize] else { return };
        source.receive_brm(content);
        transit.allow(*connection, now, source.acr());
        self.reckon(now, line);
    }

    /// A resource management cell has been turned around and is to go back. All before `now` must be settled.
    pub fn give_back(&mut self, now: Time, channel: u32, content: RmCell, line: &mut Line) {
        let channel = &mut self.channels[channel as usize];
        match &mut channel.source {
            Some(source) if !channel.bypasses => source.turn_around(content),
            _ => channel.bypassing.push_back(content),
        }
        self.reckon(now, line);
    }

    /// Sends all that begins until `now`.
    #[inline]
    pub fn settle(&mut self, now: Time, line: &mut Line, transit: &mut Transit) {
        while line.next_start <= now {
            let start = line.next_start;
            let turn = self.turn(start);
            let cell = self.channels[turn].cell(start, line, transit);
            line.send(start, cell);
            self.next = if turn + 1 == self.channels.len() { 0 } else { turn + 1 };
            self.reckon(line.free, line);
        }
    }

    /// The first channel from the next on that may send at `start`.
    #[inline]
    fn turn(&self, start: Time) -> usize {
        let channels = self.channels.len();
        let turns = (self.next..channels).chain(0..self.next);
        turns.into_iter().find(|&turn| self.channels[turn].earliest() <= start).expect("a cell is due")
    }

    /// When the next cell begins, if not before `from`.
    #[inline]
    fn reckon(&self, from: Time, line: &mut Line) {
        let earliest = self.channels.iter().map(Channel::earliest).min().unwrap_or(Time::NEVER);
        line.next_start = if earliest == Time::NEVER { earliest } else { line.earliest(earliest.max(from)) };
    }
}

impl Channel {
    /// When it may send, as far as its own cells and rate go.
    #[inline]
    fn earliest(&self) -> Time {
        match &self.source {
            _ if !self.bypassing.is_empty() => Time::ZERO,
            Some(source) => source.next_departure(!self.waiting.is_empty()),
            None if self.waiting.is_empty() => Time::NEVER,
            None => Time::ZERO,
        }
    }

    /// Takes the cell that leaves at `start`.
    #[inline]
    fn cell(&mut self, start: Time, line: &mut Line, transit: &mut Transit) -> Cell {
        transit.connections[self.connection as usize].cells.sent += 1;
        if let Some(content) = self.bypassing.pop_front() {
            return self.management(content, Direction::Backward, transit);
        }
        let Some(source) = &mut self.source else { return self.data(start, line, transit) };
        let before = source.acr();
        let next = source.next_cell(start, !self.waiting.is_empty()).expect("a source keeps to its own time");
        if source.acr() != before {
            transit.allow(self.connection, start, source.acr());
        }
        match next {
            abr::NextCell::Data => self.data(start, line, transit),
            abr::NextCell::Forward { cell, .. } => self.management(cell, Direction::Forward, transit),
            abr::NextCell::Backward(content) => self.management(content, Direction::Backward, transit),
        }
    }

    #[inline]
    fn data(&mut self, start: Time, line: &mut Line, transit: &mut Transit) -> Cell {
        let datagram = self.waiting[0];
        line.queue.leave(start);
        if self.left == transit.cells(datagram) {
            transit.first_leaves(datagram, start);
        }
        self.left -= 1;
        if self.left > 0 {
            return Cell::new(datagram, self.step, 0);
        }
        transit.last_leaves(datagram, start);
        self.waiting.pop_front();
        self.left = self.waiting.front().map_or(0, |next| transit.cells(*next));
        Cell::new(datagram, self.step, Cell::LAST)
    }

    fn management(&mut self, content: RmCell, direction: Direction, transit: &mut Transit) -> Cell {
        let coded = transit.connections[self.connection as usize].coded_rates;
        let content = if coded { RmCell::decode(&content.encode(direction)) } else { content };
        let flag = match direction {
            Direction::Forward => Cell::FORWARD,
            Direction::Backward => Cell::BACKWARD,
        };
        Cell::new(transit.contents.insert(content), self.step, flag)
    }
}
