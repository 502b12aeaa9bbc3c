//! The cost of a message at an output: transmission and the token bucket.

use crate::ip::{Discipline, PortSettings, Settings};
use crate::topology;
use sojourn_core::Duration;
use sojourn_core::time::PICOSECONDS_PER_SECOND;

/// The shortest packet of a TCP connection: headers without options, and one octet.
const SHORTEST_SEGMENT: u32 = 41;

/// What a connection sends in one piece: an echo's datagram in its fragments, or a TCP segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Octets of its IP packets.
    pub packets: Vec<u32>,
    /// Whether segments may be shorter.
    pub shorter: bool,
}

impl Message {
    /// Octets of the longest packet.
    pub fn longest(&self) -> u32 {
        self.packets.iter().copied().max().unwrap_or_default()
    }

    /// The packets of which one may cost most or least for an octet.
    pub fn sizes(&self) -> impl Iterator<Item = u32> + '_ {
        self.packets.iter().copied().chain(self.shorter.then_some(SHORTEST_SEGMENT))
    }
}

/// What an output costs a connection that need not wait for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The longest time for which it may wait although its turn is next.
    pub latency: Duration,
    /// What a message is.
    pub cost: Duration,
}

/// An output as its packets see it.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// The link: rate and propagation.
    pub link: &'a topology::Port,
    /// Its framing, queue and token bucket.
    pub settings: &'a PortSettings,
}

impl Output<'_> {
    /// The time of a packet of `octets` octets on the link, rounded up and down.
    pub fn on_link(&self, octets: u32) -> [Duration; 2] {
        let framing = self.settings.link.framing;
        match self.settings.link.unlimited {
            true => [Duration::ZERO; 2],
            false => lasts(u64::from(octets.max(framing.minimum) + framing.overhead), self.link.rate),
        }
    }

    /// Octets that queues and token buckets count.
    pub fn counted(&self, octets: u32) -> u64 {
        u64::from(octets + self.settings.link.framing.counted)
    }

    /// What a packet costs: its time on the link, or longer where the token bucket is slower.
    pub fn cost(&self, octets: u32) -> Duration {
        let shaped = self.settings.queue.shaping.map(|bucket| lasts(self.counted(octets), bucket.rate)[0]);
        self.on_link(octets)[0].max(shaped.unwrap_or_default())
    }

    /// What a message costs, all packets together.
    pub fn work(&self, message: &Message) -> Duration {
        message.packets.iter().map(|&octets| self.cost(octets)).sum()
    }

    /// The time of a message on the link, rounded down.
    pub fn transmission(&self, message: &Message) -> Duration {
        message.packets.iter().map(|&octets| self.on_link(octets)[1]).sum()
    }

    /// The least time that some packet of a message takes.
    pub fn least(&self, message: &Message) -> Duration {
        message.sizes().map(|octets| self.on_link(octets)[1]).min().unwrap_or_default()
    }

    /// Octets that a message counts in the queue.
    pub fn octets(&self, message: &Message) -> u64 {
        message.packets.iter().map(|&octets| self.counted(octets)).sum()
    }

    /// For how long a token bucket in debt may let packets wait, the longest of `messages` having gone before.
    pub fn latency<'m>(&self, messages: impl Iterator<Item = &'m Message>) -> Duration {
        let Some(bucket) = self.settings.queue.shaping else { return Duration::ZERO };
        let longest = messages.map(Message::longest).max().unwrap_or_default();
        lasts(self.counted(longest), bucket.rate)[0]
    }

    /// Packets that find room in its queue, those of one flow where each has room of its own, and the one on the link.
    pub fn room(&self, shortest: u32) -> Option<u64> {
        let queue = &self.settings.queue;
        let limits = match queue.discipline {
            Discipline::Drr { flow_limit, .. } => [queue.limit, flow_limit],
            _ => [queue.limit; 2],
        };
        let packets = limits.iter().map(|limit| u64::from(limit.packets)).min().unwrap_or_default();
        let fit = queue.limit.octets / self.counted(shortest).max(1);
        let room = packets.min(fit);
        (room < u64::from(u32::MAX)).then_some(room + 1)
    }

    /// The longest time of a connection's packet.
    pub fn longest(&self, message: &Message) -> Duration {
        message.sizes().map(|octets| self.cost(octets)).max().unwrap_or_default()
    }

    /// Whether `next` takes from each packet a fixed multiple of its time here.
    pub fn is_like(&self, next: &Output<'_>) -> bool {
        let limited = !self.settings.link.unlimited && !next.settings.link.unlimited;
        limited && self.settings.link.framing == next.settings.link.framing && next.settings.queue.shaping.is_none()
    }
}

/// How long this many octets last at a rate of bits a second, rounded up and down.
pub fn lasts(octets: u64, rate: u64) -> [Duration; 2] {
    let bits = u128::from(octets) * 8 * u128::from(PICOSECONDS_PER_SECOND);
    let rounded = |picoseconds: u128| Duration::from_picoseconds(u64::try_from(picoseconds).unwrap_or(u64::MAX));
    [rounded(bits.div_ceil(rate.into())), rounded(bits / u128::from(rate))]
}

/// Why a queue discipline has no bound here; `flows` connections pass.
pub fn unordered(settings: &Settings, port: usize, flows: usize) -> Option<String> {
    let Discipline::FqCodel { queues: Some(queues), .. } = settings.ports[port].queue.discipline else { return None };
    let apart: f64 = (0..flows).map(|taken| (1.0 - taken as f64 / f64::from(queues)).max(0.0)).product();
    (flows > 1).then(|| {
        format!(
            "flow queuing hashes {flows} flows to {queues} queues: some share one with probability {:.2} %, and then wait \
             for each other; with `queues = \"exact\"` each has a bound",
            100.0 * (1.0 - apart)
        )
    })
}
