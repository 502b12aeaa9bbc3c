//! Classes under token buckets (HTB): the service curve of a class with a guaranteed rate.
//!
//! A class whose buckets are not in debt goes before all classes that borrow. Its head-of-line packet then waits only
//! for a packet in transmission and for classes within their guaranteed rates: for one turn of each, or for no more
//! than their buckets let through. If the class's own buckets can hold the tokens that accumulate meanwhile, it loses
//! none of its rate and has a rate-latency server: that of the bucket, after which the link leaves enough
//! (concatenation, LBT, 1.4.3). Otherwise each packet may wait again.

use crate::ip::Shaping;
use sojourn_core::Duration;

use super::port::{Message, Output, Share, lasts};
use sojourn_bounds::curve::Rational;

/// The classes of an output.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a> {
    /// The output.
    pub output: &'a Output<'a>,
    /// Octets of a turn.
    pub quantum: u32,
    /// Guaranteed rate and burst of each class.
    pub guaranteed: Shaping,
    /// Ceiling rate and burst of each class.
    pub ceil: Shaping,
}

impl Classes<'_> {
    /// What the output costs a class beside `others`.
    pub fn share(&self, own: &Message, others: &[&Message]) -> Share {
        let debt = self.filled_in(own.longest());
        let of_all: Duration = own.packets.iter().map(|&octets| self.of_packet(octets)).sum();
        let bounded = self.by_buckets(own, others).filter(|wait| self.is_held(*wait));
        match bounded {
            Some(wait) => Share { latency: debt + wait, cost: of_all },
            None => {
                let turns = self.in_round_robin(others);
                let wait = self.wait_by_buckets(others).map_or(turns, |wait| wait.min(turns));
                Share { latency: debt, cost: of_all + wait.times(own.packets.len() as u64) }
            }
        }
    }

    /// A packet in its bucket, or on the link where that lasts longer.
    fn of_packet(&self, octets: u32) -> Duration {
        self.filled_in(octets).max(self.output.on_link(octets)[0])
    }

    /// In which time the slower of the two buckets pays a packet.
    fn filled_in(&self, octets: u32) -> Duration {
        lasts(self.output.counted(octets), self.guaranteed.rate.min(self.ceil.rate))[0]
    }

    /// The wait of a head whose buckets are not in debt, where what the link then leaves is no less than the class's rate.
    fn by_buckets(&self, own: &Message, others: &[&Message]) -> Option<Duration> {
        let rate = self.share_of_link(own);
        let all: Rational = others.iter().map(|message| self.share_of_link(message)).sum();
        (all + rate <= Rational::from_integer(1)).then(|| self.wait_by_buckets(others)).flatten()
    }

    /// The wait while other classes send what their buckets let through: a burst, the packet that overdraws it, and their
    /// rates.
    fn wait_by_buckets(&self, others: &[&Message]) -> Option<Duration> {
        let (mut bursts, mut rates) = (Rational::ZERO, Rational::ZERO);
        for message in others {
            let octets = self.guaranteed.burst + self.output.counted(message.longest());
            bursts += self.time_of_an_octet(message) * i128::from(octets);
            rates += self.share_of_link(message);
        }
        let remains = Rational::from_integer(1) - rates;
        let work = bursts + Rational::from_integer(self.sending(others).picoseconds().into());
        (remains > Rational::ZERO).then(|| {
            Duration::from_picoseconds(u64::try_from((work / remains).ceil().to_integer()).unwrap_or(u64::MAX))
        })
    }

    /// The wait while each other class has its turn: a quantum, and the packet that overdraws it.
    fn in_round_robin(&self, others: &[&Message]) -> Duration {
        let turn = |message: &&Message| {
            let octets = u64::from(self.quantum) + self.output.counted(message.longest());
            let time = self.time_of_an_octet(message) * i128::from(octets);
            Duration::from_picoseconds(u64::try_from(time.ceil().to_integer()).unwrap_or(u64::MAX))
        };
        others.iter().map(turn).sum::<Duration>() + self.sending(others)
    }

    /// The longest packet that may be on the link.
    fn sending(&self, others: &[&Message]) -> Duration {
        others.iter().map(|message| self.output.on_link(message.longest())[0]).max().unwrap_or_default()
    }

    /// The share of the link's time that a class takes at its guaranteed rate.
    fn share_of_link(&self, message: &Message) -> Rational {
        let bits = Rational::new(i128::from(self.guaranteed.rate), 1_000_000_000_000);
        self.time_of_an_octet(message) * bits / 8
    }

    /// The longest that an octet takes on the link: the bucket of all does not hold back who is within its guaranteed rate.
    fn time_of_an_octet(&self, message: &Message) -> Rational {
        let time = |octets: u32| {
            let [on_link, counted] = [self.output.on_link(octets)[0].picoseconds(), self.output.counted(octets)];
            Rational::new(on_link.into(), counted.into())
        };
        message.sizes().map(time).max().unwrap_or_default()
    }

    /// Whether both buckets hold what fills in during a wait.
    fn is_held(&self, wait: Duration) -> bool {
        [self.guaranteed, self.ceil].iter().all(|bucket| lasts(bucket.burst, bucket.rate)[1] >= wait)
    }
}
