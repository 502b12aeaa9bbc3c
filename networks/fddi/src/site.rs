//! The scenario in the types of this network.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::arrivals::{Arrivals, Process};
use sojourn_metrics::codec::Codec;
use sojourn_protocols::xtp::machine::Configuration;

use super::association::Association;
use super::effect::Timeline;
use super::port::Port;
use super::ring::{Class, RingSettings};

/// Rings, hosts and what they send.
#[derive(Clone, Debug)]
pub struct Site {
    /// The rings, each with the stations on it.
    pub rings: Vec<Ring>,
    /// Everything with a processor, routers included.
    pub hosts: Vec<Host>,
    /// Who sends what to whom.
    pub flows: Vec<Flow>,
    /// Load without a receiver.
    pub loads: Vec<Load>,
    /// How the probed voice is measured, if voice is probed.
    pub probe: Option<Probe>,
    /// What goes wrong on purpose.
    pub impairment: Impairment,
    /// Whether captures show synchronous frames as asynchronous ones.
    pub decodable_capture: bool,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

impl Site {
    /// Whether some flow is voice.
    pub fn has_voice(&self) -> bool {
        self.flows.iter().any(|flow| matches!(flow.traffic, Traffic::Voice(_)))
    }

    /// The port by which probed voice is sent; none where no voice is probed.
    pub fn probed_port(&self) -> Option<Port> {
        let probe = self.probe?;
        let sender = self.flows[usize::from(probe.flow)].from;
        Some(self.hosts[sender as usize].ports[0])
    }
}

/// A ring with the hosts attached to it.
#[derive(Clone, Debug)]
pub struct Ring {
    /// Its name.
    pub name: String,
    /// Its stations' medium access.
    pub settings: RingSettings,
    /// The host of each MAC; none where a MAC only repeats or generates load.
    pub owners: Vec<Option<u32>>,
    /// How long it is interrupted while a station enters or leaves it.
    pub bypass_time: Duration,
}

/// A station with a CPU, on one ring or, as a router, on several.
#[derive(Clone, Debug)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Ring and MAC, one or several.
    pub ports: Vec<Port>,
    /// What its processor and adapter spend.
    pub costs: Costs,
    /// Step of its clock, zero when exact.
    pub tick: Duration,
    /// From one timer interrupt to the next, zero without.
    pub timer_interval: Duration,
    /// Order of XTP's acknowledgement and the delivery to the user.
    pub acknowledges: Acknowledges,
    /// Whether its XTP hands over one packet at a time.
    pub hands_over_singly: bool,
    /// Whether messages are served only when nothing else waits.
    pub messages_last: bool,
    /// How it forwards, where it is on several rings.
    pub router: Option<Router>,
}

/// When a host acknowledges a data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledges {
    /// The acknowledgement leaves with the delivery, its cost is paid after what the user does.
    AtDelivery,
    /// It is made and sent first, then the data are delivered.
    BeforeDelivery,
    /// What the user does comes first.
    AfterUser,
}

/// What a processor and an adapter spend.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// Processor: a data packet sent, without its bytes.
    pub send_packet: Duration,
    /// Processor: a data packet received, without its bytes.
    pub receive_packet: Duration,
    /// Processor: a byte of user data.
    pub per_byte: Duration,
    /// Processor: a control packet sent.
    pub send_control: Duration,
    /// Processor: a control packet received.
    pub receive_control: Duration,
    /// Adapter: a byte of user data.
    pub adapter_copy_per_byte: Duration,
    /// Processor: what a packet of more bytes than `long_packet_above` takes more.
    pub long_packet: Duration,
    /// The most bytes of user data in a packet that is not long.
    pub long_packet_above: u32,
    /// Processor: what a data packet to several receivers takes more to send.
    pub multicast_send: Duration,
    /// Processor: what such a packet takes more to receive.
    pub multicast_receive: Duration,
    /// Processor: a timer interrupt.
    pub timer_interrupt: Duration,
    /// Processor: a broadcast frame that is for others.
    pub discard: Duration,
}

impl Costs {
    /// A data packet of `bytes` sent.
    pub fn send(&self, bytes: u32, multicast: bool) -> Duration {
        self.send_packet + self.touch(bytes) + if multicast { self.multicast_send } else { Duration::ZERO }
    }

    /// A data packet of `bytes` received.
    pub fn receive(&self, bytes: u32, multicast: bool) -> Duration {
        self.receive_packet + self.touch(bytes) + if multicast { self.multicast_receive } else { Duration::ZERO }
    }

    /// The adapter's copy of `bytes`.
    pub fn copy(&self, bytes: u32) -> Duration {
        self.adapter_copy_per_byte.times(u64::from(bytes))
    }

    fn touch(&self, bytes: u32) -> Duration {
        let long = if bytes > self.long_packet_above { self.long_packet } else { Duration::ZERO };
        self.per_byte.times(u64::from(bytes)) + long
    }
}

/// A router: a server with a limited rate and a constant delay.
#[derive(Clone, Copy, Debug)]
pub struct Router {
    /// From the arrival of a packet, once served, to its departure.
    pub delay: Duration,
    /// The least time between two packets it forwards.
    pub gap: Duration,
}

/// Data from one host to one or several others.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Index of the sending host.
    pub from: u32,
    /// The receiving hosts; several are a multicast group; none for pure load.
    pub to: Vec<u32>,
    /// Whether its response time is sampled.
    pub probe: bool,
    /// Voice, bulk data or messages.
    pub traffic: Traffic,
    /// Its transport: an XTP association or datagrams.
    pub transport: Transport,
    /// Synchronous or asynchronous service of the ring.
    pub class: Class,
}

/// What a flow sends.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Voice in real time.
    Voice(Voice),
    /// As much as the network carries, in packets of this many bytes.
    Bulk(u32),
    /// Messages at arrivals.
    Messages(Process, Duration, Sizes),
    /// A message after each packet that another flow writes.
    AfterWrite(u16, Sizes),
}

impl Traffic {
    /// Bytes of user data in its largest packet.
    pub fn largest(&self) -> u32 {
        match self {
            Traffic::Voice(voice) => voice.bytes,
            Traffic::Bulk(data) => *data,
            Traffic::Messages(_, _, sizes) | Traffic::AfterWrite(_, sizes) => sizes.short.max(sizes.long),
        }
    }
}

/// Message lengths: a mixture of two.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Bytes of a short one.
    pub short: u32,
    /// Bytes of a long one.
    pub long: u32,
    /// Share of long ones.
    pub long_share: f64,
}

/// Voice channels, multiplexed into packets of equal length.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    /// Samples of 125 us in a packet.
    pub samples: u32,
    /// Bytes of a packet, as its codec encodes these samples.
    pub bytes: u32,
    /// Voice channels active at the same time.
    pub channels: u32,
    /// Depth of a converter's FIFO, in samples.
    pub fifo_depth: u64,
    /// From the first delivery to the first sample played.
    pub playout_delay: Duration,
    /// By which codec channels are rated; `None`: they are not.
    pub codec: Option<Codec>,
    /// Mean talkspurt and pause; `None`: speech goes on all the time.
    pub talkspurts: Option<[Duration; 2]>,
    /// Whether the jitter buffer by which channels are rated adapts in pauses.
    pub adaptive: bool,
}

/// What carries a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// XTP.
    Xtp(Association),
    /// Datagrams.
    Datagram,
}

/// Frames without a receiver, from a MAC without a host.
#[derive(Clone, Debug)]
pub struct Load {
    /// Ring and MAC that the frames leave by.
    pub port: Port,
    /// Length of a frame, from frame control to check sequence.
    pub frame: u32,
    /// Frames offered at once.
    pub burst: u32,
    /// Mean time from one to the next.
    pub gap: Duration,
    /// Whether they come at even intervals; otherwise exponential ones.
    pub periodic: bool,
    /// Synchronous or asynchronous service of the ring.
    pub class: Class,
    /// What its random numbers are named for.
    pub name: String,
}

impl Load {
    /// When they are offered, at this mean time from one to the next.
    pub fn process(&self, gap: Duration) -> Process {
        let arrivals = match self.periodic {
            true => Arrivals::Periodic { period: gap, jitter: Duration::ZERO },
            false => Arrivals::Poisson { mean_gap: gap },
        };
        arrivals.start()
    }
}

/// How probed voice is measured.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// Index of the probed flow.
    pub flow: u16,
    /// Whether the response time is the one-way delay of the stream.
    pub one_way: bool,
    /// Response times to take.
    pub exchanges: u64,
    /// Bytes that the stream run transfers.
    pub transfer: u64,
    /// How long all channels run in real time.
    pub paced: Duration,
    /// Which of the receivers answers: the slowest.
    pub responder: u32,
}

/// Which run of a replication: where voice is probed, exchanges, stream and real-time voice have a run each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The probed voice writes, and writes again when the answer is there.
    Exchange,
    /// The probed voice writes as much as goes.
    Stream,
    /// All channels of the probed voice run in real time.
    Paced,
    /// No voice is probed.
    Steady,
}

/// What goes wrong on purpose.
#[derive(Clone, Copy, Debug, Default)]
pub struct Impairment {
    /// Share of the probed packets received that are not acknowledged.
    pub unacknowledged: f64,
    /// Whether their data are lost too.
    pub lost: bool,
    /// Share of frames with a check sequence that fails.
    pub frame_loss: f64,
    /// Mean time between losses of a ring's token.
    pub token_loss: Option<Duration>,
}

impl Flow {
    /// Whether it sends messages, which a CPU may serve last.
    pub fn has_messages(&self) -> bool {
        matches!(self.traffic, Traffic::Messages(..) | Traffic::AfterWrite(..))
    }

    /// The configuration of its XTP association; `None` over datagrams.
    pub fn configuration(&self) -> Option<Arc<Configuration>> {
        let Transport::Xtp(association) = self.transport else { return None };
        Some(association.configuration(self.traffic.largest()))
    }
}
