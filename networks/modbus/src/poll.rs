//! What is asked, in flight: a request as frames carry it, its answer, and what is known of it at its client.

use sojourn_core::Time;
use sojourn_protocols::modbus::Function;
use sojourn_protocols::modbus::machine::Asked;

use super::latency_budget::LatencyBudget;

/// A request in place of its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Poll {
    /// Its place among the requests in flight.
    pub key: u32,
    /// Its number among all requests of the run: the place is used again.
    pub number: u32,
    /// The connection of the client that asks.
    pub connection: u32,
    /// Its transaction identifier on TCP.
    pub transaction: u16,
    /// The unit that it is for.
    pub unit: u8,
    /// The function.
    pub function: Function,
    /// The first register or bit.
    pub address: u16,
    /// Registers or bits.
    pub count: u16,
    /// Octets of its PDU.
    pub request: u16,
    /// Octets of the PDU that answers it.
    pub response: u16,
}

/// What answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The request.
    pub poll: Poll,
    /// The code of an exception; 0 without one.
    pub exception: u8,
    /// When the server read the values.
    pub read: Time,
}

impl Poll {
    /// Registers, or groups of 16 bits.
    pub fn registers(&self) -> u64 {
        match self.function {
            Function::ReadCoils | Function::ReadDiscreteInputs | Function::WriteMultipleCoils => {
                u64::from(self.count).div_ceil(16)
            }
            _ => u64::from(self.count),
        }
    }
}

impl Asked for Poll {
    type Response = Answer;

    /// As of octets: a response that is late, to an earlier request of the same form, is taken for this one's.
    fn accepts(&self, answer: &Answer) -> bool {
        let Answer { poll, exception, .. } = answer;
        poll.function == self.function && (*exception != 0 || poll.count == self.count)
    }
}

/// A request in flight, as its client knows it.
#[derive(Clone, Copy, Debug)]
pub struct InFlight {
    /// The source that asks.
    pub source: u32,
    /// Which request of the round.
    pub item: u32,
    /// Its number among all requests.
    pub number: u32,
    /// When it was due.
    pub due: Time,
    /// Whether it was due after the warm-up.
    pub counted: bool,
    /// The time since then, by component.
    pub budget: LatencyBudget,
    /// The budget at the first try of the client, and of a gateway: what a further try is reckoned from.
    pub before: [LatencyBudget; 2],
}
