//! Connects to a station through a KISS TNC, sends it text, reads the text back, and disconnects:
//!
//! ```text
//! cargo run -p sojourn-live --example ax25_over_kiss -- 127.0.0.1:8001 AAA-2 BBB-1 v2.2 2000
//! cargo run -p sojourn-live --example ax25_over_kiss -- 127.0.0.1:8001 AAA-2 BBB-1,DIGI v2.0 2000
//! ```
//!
//! The arguments are the TNC's address, the own callsign, the other station's with the digipeaters on the way, the
//! version to speak and how many bytes to send. Every frame is printed as a monitor would. The exit status is 0 if the
//! same bytes came back and the link ended as wanted.

use std::env;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration as SystemDuration;

use sojourn_core::{Duration, Machine, Time};
use sojourn_live::clock::Clock;
use sojourn_protocols::ax25::machine::{
    Cause, Input, LinkId, LinkKey, Output, RejectMode, RoundTripRule, Settings, Station, Version,
};
use sojourn_protocols::ax25::wire::{Address, Digipeaters, Frame, Pid};
use sojourn_protocols::kiss::{Command, Deframer, Message};

/// Octets of information in a frame.
const PACLEN: usize = 128;
/// Octets of the longest frame that is taken.
const LONGEST: usize = 2100;
/// The longest wait for the TNC, so that timers have their turn.
const PATIENCE: SystemDuration = SystemDuration::from_millis(10);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[&str]) -> Result<bool, Box<dyn std::error::Error>> {
    let [tnc, own, peer, version, bytes] = words else {
        return Err("usage: ax25_over_kiss HOST:PORT OWN PEER[,DIGIPEATER...] v2.0|v2.2 BYTES".into());
    };
    let own: Address = own.parse()?;
    let way: Vec<Address> = peer.split(',').map(str::parse).collect::<Result<_, _>>()?;
    let (peer, way) = way.split_first().ok_or("a peer is needed")?;
    let key = LinkKey { own, peer: *peer, digipeaters: Digipeaters::new(way)? };
    let version = match *version {
        "v2.0" => Version::V2_0,
        "v2.2" => Version::V2_2,
        other => return Err(format!("the version is v2.0 or v2.2, not {other}").into()),
    };
    let settings = Settings {
        version,
        frack: Duration::from_secs(5),
        round_trip: RoundTripRule::DireWolf,
        reject: RejectMode::MultiSelective,
        information_limit: PACLEN as u16,
        window: 4,
        window_extended: 8,
        ..Settings::default()
    };
    let station = Station::new([own], Arc::new(settings))?;
    let text = (0..bytes.parse()?).map(|index: u32| b"0123456789abcdefghijklmnopqrstuvwxyz\n"[index as usize % 37]);
    let mut exchange =
        Exchange { tnc: Tnc::open(tnc)?, station, clock: Clock::start(), text: text.collect(), back: vec![] };
    Ok(exchange.run(key)?)
}

/// A TNC on the other end of a TCP connection.
struct Tnc {
    stream: TcpStream,
    deframer: Deframer,
}

/// The station, and what it says.
struct Exchange {
    tnc: Tnc,
    station: Station<Vec<u8>>,
    clock: Clock,
    text: Vec<u8>,
    back: Vec<u8>,
}

impl Tnc {
    fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Tnc { stream, deframer: Deframer::new(LONGEST) })
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let mut bytes = Vec::new();
        Message { port: 0, command: Command::Data(frame) }.emit(&mut bytes).map_err(io::Error::other)?;
        self.stream.write_all(&bytes)
    }

    /// The frames that have come within [`PATIENCE`].
    fn receive(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut bytes = [0; 4096];
        let count = match self.stream.read(&mut bytes) {
            Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the TNC closed the connection")),
            Ok(count) => count,
            Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => 0,
            Err(fault) => return Err(fault),
        };
        let mut frames = Vec::new();
        for byte in &bytes[..count] {
            if let Some(Ok(Message { command: Command::Data(frame), .. })) = self.deframer.push(*byte) {
                frames.push(frame.to_vec());
            }
        }
        Ok(frames)
    }
}

impl Exchange {
    /// Whether the text came back and the link ended as wanted.
    fn run(&mut self, key: LinkKey) -> io::Result<bool> {
        self.station.handle(self.clock.now(), Input::Connect { key });
        loop {
            if let Some(cause) = self.drain()? {
                println!("disconnected ({cause:?}); {} of {} bytes came back", self.back.len(), self.text.len());
                return Ok(cause == Cause::Requested && self.back == self.text);
            }
            for bytes in self.tnc.receive()? {
                let now = self.clock.now();
                match Frame::parse_with(&bytes, |addressing| self.station.modulo(addressing)) {
                    Ok(frame) => {
                        self.note(now, "<", &frame);
                        self.station.handle(now, Input::Receive { frame: frame.map(<[u8]>::to_vec) });
                    }
                    Err(fault) => println!("{:8.3} ? {fault}", now.seconds()),
                }
            }
            let now = self.clock.now();
            if self.station.next_wakeup().is_some_and(|due| due <= now) {
                self.station.wake(now);
            }
        }
    }

    /// Does what the station asks for; why the link is down, once it is.
    fn drain(&mut self) -> io::Result<Option<Cause>> {
        let now = self.clock.now();
        while let Some(output) = self.station.poll_output() {
            match output {
                // the TNC has the channel and a queue for it
                Output::WantsChannel => self.station.handle(now, Input::ChannelFree { information_frames: u16::MAX }),
                Output::Transmit { frame, .. } => {
                    self.note(now, ">", &frame);
                    self.tnc.send(&frame.to_bytes().map_err(io::Error::other)?)?;
                }
                Output::Connected { link, version, .. } => {
                    println!("{:8.3} connected ({version:?})", now.seconds());
                    self.send_text(now, link);
                }
                Output::Deliver { link, data, .. } => {
                    self.back.extend(data);
                    if self.back.len() >= self.text.len() {
                        self.station.handle(now, Input::Disconnect { link });
                    }
                }
                Output::Disconnected { cause, .. } => return Ok(Some(cause)),
                Output::Reset { lost, .. } => println!("{:8.3} reset, {lost} frames lost", now.seconds()),
                _ => {}
            }
        }
        Ok(None)
    }

    fn send_text(&mut self, now: Time, link: LinkId) {
        for piece in self.text.chunks(PACLEN) {
            self.station.handle(now, Input::Send { link, pid: Pid::NONE, data: piece.to_vec() });
        }
    }

    fn note<D>(&self, now: Time, direction: &str, frame: &Frame<D>) {
        println!("{:8.3} {direction} {frame}", now.seconds());
    }
}
