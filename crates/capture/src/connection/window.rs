//! The sequence numbers of one direction.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::information::Information;

/// How sequence numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Modulo 8.
    Modulo8,
    /// Modulo 128.
    Modulo128,
    /// Modulo 256.
    Modulo256,
}

impl Numbers {
    const fn largest(self) -> u8 {
        match self {
            Numbers::Modulo8 => 7,
            Numbers::Modulo128 => 127,
            Numbers::Modulo256 => 255,
        }
    }

    /// `number - earlier` in the modulus.
    const fn distance(self, earlier: u8, number: u8) -> usize {
        (number.wrapping_sub(earlier) & self.largest()) as usize
    }

    const fn after(self, number: u8) -> u8 {
        number.wrapping_add(1) & self.largest()
    }
}

/// What a packet with information is to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// New.
    New,
    /// Sent before; and whether an acknowledgement of it was seen by then.
    Repeated {
        /// Its receiver has acknowledged it.
        acknowledged: bool,
    },
    /// The same transmission, forwarded.
    Forwarded {
        /// Its receiver has acknowledged it.
        acknowledged: bool,
    },
}

/// The packets of one direction that may still be sent again: at most a modulus less one.
#[derive(Debug)]
pub struct Window {
    numbers: Numbers,
    next: Option<u8>,
    sent: VecDeque<Message>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    number: u8,
    begin: Time,
    /// Hops left of the last copy.
    hops_left: u8,
    /// The first acknowledgement since it was last sent: its stamp, its number and hops left.
    end: Option<(Time, u8, u8)>,
}

impl Window {
    /// A direction in which nothing was sent yet; from number 0 where the connection was seen from its start.
    pub fn new(numbers: Numbers, from_start: bool) -> Self {
        Window { numbers, next: from_start.then_some(0), sent: VecDeque::new() }
    }

    /// Takes a packet. `done` gets begin and end of a message whose number is used anew.
    pub fn information(&mut self, packet: &Information, mut done: impl FnMut(Time, Time)) -> Sending {
        if self.next != Some(packet.number)
            && let Some(known) = self.sent.iter_mut().find(|message| message.number == packet.number)
        {
            let acknowledged = known.end.is_some();
            let forwarded = packet.hops_left < known.hops_left;
            known.hops_left = packet.hops_left;
            if forwarded {
                return Sending::Forwarded { acknowledged };
            }
            // its sender does not have the acknowledgement that was seen
            known.end = None;
            return Sending::Repeated { acknowledged };
        }
        if let Some(next) = self.next
            && self.numbers.distance(next, packet.number) > usize::from(self.numbers.largest()) / 2
        {
            // sent first before the capture began
            return Sending::Repeated { acknowledged: false };
        }
        while self.sent.len() >= usize::from(self.numbers.largest()) {
            if let Some(Message { begin, end: Some((end, ..)), .. }) = self.sent.pop_front() {
                done(begin, end);
            }
        }
        self.next = Some(self.numbers.after(packet.number));
        let Information { number, time, hops_left, .. } = *packet;
        self.sent.push_back(Message { number, begin: time, hops_left, end: None });
        Sending::New
    }

    /// The receiver expects `number` next.
    pub fn acknowledged(&mut self, number: u8, time: Time, hops_left: u8) {
        let Some(next) = self.next else { return };
        let outstanding = self.numbers.distance(number, next);
        if outstanding > self.sent.len() {
            // beyond what was sent as far as was captured: some of it was missed
            if self.sent.is_empty() && outstanding > usize::from(self.numbers.largest()) / 2 {
                self.next = Some(number);
            }
            return;
        }
        let covered = self.sent.len() - outstanding;
        for message in self.sent.iter_mut().take(covered) {
            match &mut message.end {
                end @ None => *end = Some((time, number, hops_left)),
                // the same acknowledgement, forwarded
                Some((end, by, left)) if *by == number && hops_left < *left => (*end, *left) = (time, hops_left),
                Some(_) => {}
            }
        }
    }

    /// Packets that wait for an acknowledgement.
    pub fn outstanding(&self) -> usize {
        self.sent.iter().filter(|message| message.end.is_none()).count()
    }

    /// Whether a packet waits for its acknowledgement.
    pub fn is_outstanding(&self, number: u8) -> bool {
        self.sent.iter().any(|message| message.number == number && message.end.is_none())
    }

    /// Whether everything sent was acknowledged.
    pub fn is_acknowledged(&self) -> bool {
        self.sent.iter().all(|message| message.end.is_some())
    }

    /// Forgets everything; `done` gets begin and end of each message acknowledged.
    pub fn finish(&mut self, mut done: impl FnMut(Time, Time)) {
        for message in self.sent.drain(..) {
            if let Some((end, ..)) = message.end {
                done(message.begin, end);
            }
        }
        self.next = None;
    }
}
