//! The share of an output that a connection gets in competition with others: round robin, flow queuing, classes under
//! token buckets.

use crate::ip::Discipline;
use sojourn_core::Duration;

use super::classes::Classes;
use super::port::{Message, Output, Share};
use sojourn_bounds::curve::{RateLatency, Rational, Rival, deficit_round_robin, flow_queuing};

impl Output<'_> {
    /// What it costs a connection that takes turns with `others`, or has a guaranteed rate beside theirs: in place of its
    /// messages' own work, and of the token bucket's `latency`. `None` where packets wait for all others alike.
    pub fn share<'m>(
        &self,
        latency: Duration,
        own: &Message,
        others: impl Iterator<Item = &'m Message>,
    ) -> Option<Share> {
        let others: Vec<&Message> = others.collect();
        let work = self.work(own);
        match self.settings.queue.discipline {
            Discipline::Drr { quantum, .. } | Discipline::FqCodel { quantum, .. } => {
                let quantum = Rational::from_integer(quantum.into());
                let rivals: Vec<Rival> = others.iter().map(|message| self.rival(message, quantum)).collect();
                let least = own.sizes().map(|octets| self.time_of_an_octet(octets)).min()?;
                let server = RateLatency::new(Rational::from_integer(1), whole(latency));
                let left = (least > Rational::ZERO).then(|| match self.settings.queue.discipline {
                    Discipline::Drr { .. } => deficit_round_robin(&server, quantum * least, &rivals),
                    _ => flow_queuing(&server, quantum * least, self.spread(own), &rivals),
                })?;
                let cost = left.serves(whole(work)) - left.latency;
                Some(Share { latency: rounded_up(left.latency), cost: rounded_up(cost) })
            }
            Discipline::Htb { quantum, guaranteed, ceil } => {
                Some(Classes { output: self, quantum, guaranteed, ceil }.share(own, &others))
            }
            _ => None,
        }
    }

    /// Another connection in a round.
    fn rival(&self, message: &Message, quantum: Rational) -> Rival {
        let most = self.most_for_an_octet(message);
        Rival { quantum: quantum * most, largest: most * i128::from(self.counted(message.longest())) }
    }

    /// By how much the packets of a connection differ, in time.
    fn spread(&self, message: &Message) -> Rational {
        let octets = |size: Option<u32>| i128::from(size.map_or(0, |octets| self.counted(octets)));
        let differ = octets(message.sizes().max()) - octets(message.sizes().min());
        self.most_for_an_octet(message) * differ
    }

    fn most_for_an_octet(&self, message: &Message) -> Rational {
        message.sizes().map(|octets| self.time_of_an_octet(octets)).max().unwrap_or_default()
    }

    /// Picoseconds for each octet that the queue counts, of a packet of this many.
    fn time_of_an_octet(&self, octets: u32) -> Rational {
        Rational::new(self.cost(octets).picoseconds().into(), self.counted(octets).into())
    }
}

fn whole(time: Duration) -> Rational {
    Rational::from_integer(time.picoseconds().into())
}

fn rounded_up(time: Rational) -> Duration {
    Duration::from_picoseconds(u64::try_from(time.ceil().to_integer()).unwrap_or(u64::MAX))
}
