//! One station, two drivers: its inputs in a simulation are replayed to the transceiver, and the frames are the same.
//!
//! The simulated wire stuffs zeros at the mean rate of random bits, the transceiver counts them; so the wire's bursts
//! end when the wire says, as a TNC would report it by its queue.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Streams, Time};
use sojourn_packet_radio::medium::{AirFrame, Channel, ChannelEvent, ChannelSettings, MemberSettings, Received};
use sojourn_protocols::ax25::machine::{self, LinkKey, RejectMode, Settings, Station, TimerStart, Version};
use sojourn_protocols::ax25::wire::{Address, Frame, Modulo, Pid};

use sojourn_live::transports::ax25::airtime::Air;
use sojourn_live::transports::ax25::transceiver::{
    Input, Output, StationInput, StationOutput, StationPolicy, Transceiver,
};

const BIT_RATE: u64 = 9600;
const TRANSMIT_DELAY: Duration = Duration::from_millis(100);

fn call(text: &str) -> Address {
    text.parse().unwrap()
}

fn key() -> LinkKey {
    LinkKey::direct(call("NEAR-1"), call("FAR-1"))
}

fn settings(version: Version) -> Arc<Settings> {
    Arc::new(Settings {
        version,
        frack: Duration::from_secs(1),
        t1_start: TimerStart::TransmitEnd,
        n1: 128,
        k: 4,
        k_extended: 8,
        reject_mode: RejectMode::Selective,
        ..Settings::default()
    })
}

/// Two stations on a wire that loses bits.
struct Simulation {
    channel: Channel,
    stations: [Station<Vec<u8>>; 2],
    now: Time,
    /// Frames on the wire, by tag.
    frames: Vec<Frame<Vec<u8>>>,
    /// Inputs of the near station besides its timers and its turns on the channel.
    inputs: Vec<(Time, StationInput)>,
    /// The near station's bursts: when each had left the wire, and its last frame.
    bursts: Vec<(Time, Vec<u8>)>,
    /// What the far station has to send back.
    echo: Vec<StationInput>,
    echoed: usize,
}

impl Simulation {
    fn new(version: Version) -> Simulation {
        let streams = Streams::new(3, 0);
        let member = |name: &str| MemberSettings {
            txdelay: TRANSMIT_DELAY,
            txtail: Duration::ZERO,
            ..MemberSettings::new(streams.stream(&format!("{name}/access")), streams.stream(&format!("{name}/noise")))
        };
        let channel = ChannelSettings { bit_error_rate: 1e-4, ..ChannelSettings::new(BIT_RATE) };
        let station = |own: &str| Station::new([call(own)], settings(version)).unwrap();
        Simulation {
            channel: Channel::wire(channel, ["near", "far"].map(member)),
            stations: ["NEAR-1", "FAR-1"].map(station),
            now: Time::ZERO,
            frames: Vec::new(),
            inputs: Vec::new(),
            bursts: Vec::new(),
            echo: Vec::new(),
            echoed: 0,
        }
    }

    fn apply(&mut self, end: usize, input: StationInput) {
        if end == 0 {
            self.inputs.push((self.now, input.clone()));
        }
        self.stations[end].handle(self.now, input);
    }

    fn listen_to_stations(&mut self) {
        for end in [0, 1] {
            while let Some(output) = self.stations[end].poll_output() {
                match output {
                    machine::Output::SeizeRequest => self.channel.request(self.now, end as u32),
                    machine::Output::Deliver { link, pid, data } if end == 1 => {
                        self.echoed += data.len();
                        self.echo.push(machine::Input::Send { link, pid, data });
                    }
                    _ => {}
                }
            }
            for input in std::mem::take(&mut self.echo) {
                self.apply(end, input);
            }
        }
    }

    /// The frames of one burst.
    fn load(&mut self, end: usize) -> Vec<AirFrame> {
        self.stations[end].handle(self.now, machine::Input::SeizeConfirm { information_frames: u16::MAX });
        let mut burst = Vec::new();
        while let Some(output) = self.stations[end].poll_output() {
            match output {
                machine::Output::Transmit { frame, .. } => {
                    let octets = frame.to_bytes().unwrap().len() as u32;
                    burst.push(AirFrame { tag: self.frames.len() as u32, octets, translated: 0 });
                    self.frames.push(frame);
                }
                machine::Output::SeizeRequest => self.channel.request(self.now, end as u32),
                _ => {}
            }
        }
        burst
    }

    fn happens(&mut self, event: ChannelEvent) {
        match event {
            ChannelEvent::Load { member } => {
                let burst = self.load(member as usize);
                self.channel.load(self.now, member, burst);
            }
            ChannelEvent::Ended { member, tag, .. } => {
                let listener = 1 - member;
                if self.channel.receive(listener) == Received::Good {
                    let frame = self.frames[tag as usize].clone();
                    self.apply(listener as usize, machine::Input::Receive { frame });
                }
            }
            ChannelEvent::Unkeyed { member } => {
                if member == 0 {
                    let last = self.sent().pop().unwrap();
                    self.bursts.push((self.now, last));
                }
                self.stations[member as usize].handle(self.now, machine::Input::Transmitted);
            }
            ChannelEvent::Keyed { .. } | ChannelEvent::Carrier { .. } => {}
        }
    }

    fn live(&mut self, end: Time) {
        loop {
            self.listen_to_stations();
            let timers = self.stations.each_ref().map(|station| station.next_wakeup().unwrap_or(Time::NEVER));
            let next = self.channel.next_event().min(timers[0]).min(timers[1]);
            if next > end {
                return;
            }
            self.now = next;
            if self.channel.next_event() <= next {
                if let Some(event) = self.channel.handle(next) {
                    self.happens(event);
                }
            } else {
                let due = usize::from(timers[0] > next);
                self.stations[due].wake(next);
            }
        }
    }

    /// The near station's frames in the order they were keyed.
    fn sent(&self) -> Vec<Vec<u8>> {
        let near = self.frames.iter().filter(|frame| frame.addressing.source == call("NEAR-1"));
        near.map(|frame| frame.to_bytes().unwrap()).collect()
    }
}

const AIR: Air = Air { bit_rate: BIT_RATE, transmit_delay: TRANSMIT_DELAY, transmit_tail: Duration::ZERO };

/// The inputs that a driver on the air would have passed to a transceiver, and when.
fn transcript(simulation: &Simulation) -> Vec<(Time, Input)> {
    let heard = simulation.inputs.iter().map(|(at, input)| match input {
        machine::Input::Receive { frame } => (*at, Input::Heard(frame.to_bytes().unwrap())),
        other => (*at, Input::Station(other.clone())),
    });
    let emptied = simulation.bursts.iter().map(|(at, last)| {
        let left = at.picoseconds() - AIR.frame(last).picoseconds();
        (Time::from_picoseconds(left), Input::Queue(0))
    });
    let mut inputs: Vec<_> = heard.chain(emptied).collect();
    inputs.sort_by_key(|(at, _)| *at);
    inputs
}

/// The frames that a transceiver transmits upon these inputs.
fn replayed(inputs: Vec<(Time, Input)>, version: Version, end: Time) -> Vec<Vec<u8>> {
    let (airtime, identify) = (Duration::from_secs(60), Duration::from_secs(100_000));
    let policy =
        StationPolicy { air: AIR, airtime, window: 4, digipeaters: 0, partner: None, identify, asks_queue: true };
    let station = Station::new([call("NEAR-1")], settings(version)).unwrap();
    let mut transceiver = Transceiver::new(call("NEAR-1"), station, 128, &policy).unwrap();
    let mut sent = Vec::new();
    let mut inputs = inputs.into_iter().peekable();
    loop {
        let due = transceiver.next_wakeup().unwrap_or(Time::NEVER);
        let next = inputs.peek().map_or(Time::NEVER, |(at, _)| *at);
        let now = due.min(next);
        if now > end {
            return sent;
        }
        match inputs.next_if(|_| next <= due) {
            Some((_, input)) => transceiver.handle(now, input),
            None => transceiver.wake(now),
        }
        while let Some(output) = transceiver.poll_output() {
            match output {
                Output::Transmit(octets) => sent.push(octets),
                Output::AskQueue => transceiver.handle(now, Input::Queue(1)),
                Output::Station(StationOutput::Refused { refusal }) => panic!("{refusal}"),
                _ => {}
            }
        }
    }
}

/// Frames as monitors print them, which fit a screen.
fn printed(frames: Vec<Vec<u8>>, modulo: Modulo) -> Vec<String> {
    let line = |octets: &Vec<u8>| format!("{}, {octets:?}", Frame::parse(octets, modulo).unwrap());
    frames.iter().map(line).collect()
}

#[test]
fn the_inputs_of_a_simulated_station_make_it_send_the_same_frames_on_the_air() {
    for version in [Version::V2_0, Version::V2_2] {
        let mut simulation = Simulation::new(version);
        simulation.apply(0, machine::Input::Connect { key: key() });
        let link = simulation.stations[0].link(&key()).unwrap();
        for number in 0..40_u8 {
            let data = vec![number; 100];
            simulation.apply(0, machine::Input::Send { link, pid: Pid::NONE, data });
        }
        simulation.live(Time::ZERO + Duration::from_secs(100));
        simulation.now = Time::ZERO + Duration::from_secs(100);
        simulation.apply(0, machine::Input::Disconnect { link });
        let end = Time::ZERO + Duration::from_secs(110);
        simulation.live(end);

        assert_eq!(simulation.echoed, 4000, "{version:?}");
        let resent = simulation.stations[0].counters().get(machine::Counter::InformationResent);
        assert!(resent > 0, "{version:?}: the transcript holds repairs");
        let modulo = if version == Version::V2_0 { Modulo::Eight } else { Modulo::OneHundredTwentyEight };
        let replayed = printed(replayed(transcript(&simulation), version, end), modulo);
        let sent = printed(simulation.sent(), modulo);
        let differ = replayed.iter().zip(&sent).position(|(one, other)| one != other);
        assert_eq!(differ.map(|at| (at, &replayed[at], &sent[at])), None, "{version:?}");
        assert_eq!(replayed.len(), sent.len(), "{version:?}");
    }
}
