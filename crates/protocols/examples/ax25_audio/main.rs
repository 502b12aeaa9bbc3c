//! AX.25 frames as sound, and sound as AX.25 frames: what a modem sends and hears, in a WAV file.
//!
//! ```text
//! cargo run -p sojourn-protocols --example ax25_audio -- write 1200 frames.wav     one frame of every kind
//! cargo run -p sojourn-protocols --example ax25_audio -- read 9600 heard.wav      the frames in a recording
//! ```
//!
//! Each frame is printed as octets in hexadecimal, one line each, as it lies between the flags without its FCS.

mod modem;
mod wave;

use std::env;
use std::io::{self, Write};
use std::path::Path;

use modem::Modem;
use sojourn_protocols::ax25::hdlc::{Deframer, Encoder};
use sojourn_protocols::ax25::wire::{Address, Addressing, Body, Digipeaters, Frame, Modulo, Pid, Role, examples};

/// Flags before the first frame: 0.3 s at 1200 bit/s, for the receiver's clock.
const FLAGS: usize = 45;
/// Octets of the longest frame that is read.
const LONGEST: usize = 2100;

fn main() -> io::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["write", rate, file] => write(&modem_of(rate)?, Path::new(file)),
        ["read", rate, file] => read(&modem_of(rate)?, Path::new(file)),
        _ => Err(io::Error::other("usage: ax25_audio write|read 1200|9600 FILE.wav")),
    }
}

fn modem_of(rate: &str) -> io::Result<Modem> {
    match rate {
        "1200" => Ok(Modem::Afsk1200),
        "9600" => Ok(Modem::G3ruh9600),
        _ => Err(io::Error::other("the modem is 1200 (AFSK) or 9600 (G3RUH)")),
    }
}

/// One frame of every kind, and the longest usual one: NET/ROM through two digipeaters.
fn frames() -> Vec<Vec<u8>> {
    let address = |text: &str| text.parse::<Address>().expect("a callsign");
    let path = Digipeaters::new(&[address("DIGI1"), address("DIGI2-9")]).expect("two digipeaters");
    let addressing = Addressing::new(address("PING-2"), address("PONG-1"), path, Role::Command);
    let data: Vec<u8> = (0..=255).collect();
    let body = Body::I { modulo: Modulo::Eight, n_s: 1, n_r: 2, pid: Pid::NETROM, data };
    let long = Frame { addressing, poll_final: false, body }.to_bytes();
    let short = examples().into_iter().map(|(_, frame)| frame.to_bytes());
    short.chain([long]).map(|bytes| bytes.expect("a frame that has bytes")).collect()
}

fn write(modem: &Modem, file: &Path) -> io::Result<()> {
    let mut encoder = Encoder::new();
    encoder.flags(FLAGS);
    for frame in frames() {
        print_frame(&frame)?;
        encoder.flags(2).frame(&frame);
    }
    encoder.flags(FLAGS);
    wave::write(file, modem.sample_rate(), &modem.modulate(encoder.bits()))
}

fn read(modem: &Modem, file: &Path) -> io::Result<()> {
    let (sample_rate, samples) = wave::read(file)?;
    let mut deframer = Deframer::new(LONGEST);
    for bit in modem.demodulate(sample_rate, &samples) {
        if let Some(Ok(frame)) = deframer.push(bit) {
            print_frame(frame)?;
        }
    }
    Ok(())
}

fn print_frame(frame: &[u8]) -> io::Result<()> {
    let hex: Vec<String> = frame.iter().map(|octet| format!("{octet:02x}")).collect();
    writeln!(io::stdout(), "{}", hex.join(" "))
}
