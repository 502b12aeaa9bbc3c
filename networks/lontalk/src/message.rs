//! Messages and the packets that carry them.

use sojourn_core::Time;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Purpose, RequestHandle, Ticket};
use sojourn_protocols::lontalk::wire::Packet;

use super::slab::{NONE, Slab};

/// A packet in flight between two protocol machines.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The packet.
    pub packet: Packet<StreamRange>,
    /// The station that holds it.
    pub station: u32,
    /// The port that sends it or received it.
    pub port: u32,
    /// The message it belongs to.
    pub message: u32,
    /// Its delay budget, if it belongs to a probe.
    pub budget: u32,
    /// LPDU bytes.
    pub length: u16,
    /// Its transaction, if it is one of the station's own.
    pub ticket: Ticket,
    /// Its purpose.
    pub purpose: Purpose,
    /// Of a request delivered to an application, the handle of its response.
    pub request: Option<RequestHandle>,
}

/// A message of an application, until the last packet of it is gone.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Index of the traffic source that offered it.
    pub source: u32,
    /// When its application started to send it.
    pub started: Time,
    /// Bytes of user data.
    pub data: u16,
    /// Packets and jobs of it.
    pub copies: u16,
    /// Applications that have handled it.
    pub handled: u16,
    /// Number of receiving applications.
    pub receivers: u16,
    /// Its delay budget until it is passed to the network layer, if it is a probe.
    pub budget: u32,
    /// Whether it is complete at its sender.
    pub closed: bool,
    /// Whether it failed before any receiver handled it.
    pub failed: bool,
    /// Whether it was sent after the warm-up.
    pub counted: bool,
    /// Distinguishes its bytes from those of the source's other messages.
    pub number: u32,
    /// Index of the polled point.
    pub point: u32,
    /// The message behind it in the queue.
    pub behind: u32,
}

/// A queue of messages, linked by `Message::behind`.
#[derive(Clone, Copy, Debug)]
pub struct MessageQueue {
    first: u32,
    last: u32,
    length: u16,
}

impl MessageQueue {
    /// The empty queue.
    pub const EMPTY: MessageQueue = MessageQueue { first: NONE, last: NONE, length: 0 };

    /// Number of queued messages.
    pub fn len(&self) -> u16 {
        self.length
    }

    /// The first message.
    pub fn front(&self) -> Option<u32> {
        (self.length > 0).then_some(self.first)
    }

    /// The messages in it, first first.
    pub fn iter(&self, messages: &Slab<Message>) -> impl Iterator<Item = u32> {
        let mut next = self.first;
        (0..self.length).map(move |_| {
            let message = next;
            next = messages[message].behind;
            message
        })
    }

    /// Appends a message.
    pub fn push_back(&mut self, message: u32, messages: &mut Slab<Message>) {
        match self.length {
            0 => self.first = message,
            _ => messages[self.last].behind = message,
        }
        self.last = message;
        self.length += 1;
    }

    /// Removes the first message; `behind` is the one behind it.
    pub fn pop_front(&mut self, behind: u32) {
        self.first = behind;
        self.length -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_queued_in_fifo_order() {
        let message = Message {
            source: 0,
            started: Time::ZERO,
            data: 0,
            copies: 0,
            handled: 0,
            receivers: 0,
            budget: NONE,
            closed: false,
            failed: false,
            counted: false,
            number: 0,
            point: 0,
            behind: NONE,
        };
        let mut messages = Slab::new();
        let mut waiting = MessageQueue::EMPTY;
        for turn in 0..3 {
            let came: Vec<u32> = (0..=turn).map(|_| messages.insert(message)).collect();
            came.iter().for_each(|&place| waiting.push_back(place, &mut messages));
            assert_eq!(usize::from(waiting.len()), came.len());
            for place in came {
                assert_eq!(waiting.front(), Some(place));
                waiting.pop_front(messages[place].behind);
            }
            assert_eq!(waiting.front(), None);
        }
    }
}
