//! Writes a capture file with one AX.25 frame of every kind, one NET/ROM packet and broadcast of every kind and one ROSE
//! packet of every type to standard output:
//!
//! ```text
//! cargo run -p sojourn-protocols --example packet_radio_capture > every-frame.pcap
//! tshark -r every-frame.pcap
//! ```
//!
//! Left out is what Wireshark cannot know or takes for something else: frames modulo 128, which a capture does not
//! distinguish from others; a refused NET/ROM circuit, in which it looks for a window; contents that are of no protocol.

use std::io::{self, Write};

use sojourn_protocols::ax25::wire::{Address, Addressing, Body, Digipeaters, Frame, Modulo, Pid, Role};
use sojourn_protocols::{ax25, netrom, rose};

/// Capture file format of libpcap, microseconds, link type 202: the command octet of KISS, then the frame.
const FILE_HEADER: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 202];
/// KISS's command octet of data on the first port.
const DATA: u8 = 0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = io::stdout().lock();
    for word in FILE_HEADER {
        file.write_all(&word.to_le_bytes())?;
    }
    for (number, frame) in (0u32..).zip(frames()?) {
        let record = [&[DATA], &frame[..]].concat();
        for word in [0, number * 1000, record.len() as u32, record.len() as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&record)?;
    }
    Ok(())
}

/// All frames, as bytes.
fn frames() -> Result<Vec<Vec<u8>>, Box<dyn std::error::Error>> {
    let mut frames = Vec::new();
    for (_, frame) in ax25::wire::examples() {
        let plain = match frame.body {
            Body::I { modulo, pid, .. } => modulo == Modulo::Eight && pid == Pid::NONE,
            Body::S { modulo, .. } => modulo == Modulo::Eight,
            _ => true,
        };
        if plain {
            frames.push(frame.to_bytes()?);
        }
    }
    for (_, packet) in netrom::wire::packets() {
        use netrom::wire::Body::{ConnectRefusal, Other};
        if !matches!(packet.body, ConnectRefusal { .. } | Other { .. }) {
            frames.push(between("NODEA", "NODEB", information(Pid::NETROM, packet.to_bytes()))?);
        }
    }
    for (_, nodes) in netrom::wire::broadcasts() {
        frames.push(between("NODEA", "NODES", Body::Ui { pid: Pid::NETROM, data: nodes.to_bytes() })?);
    }
    for (_, packet) in rose::wire::examples() {
        frames.push(between("SWA-3", "SWB-3", information(Pid::X25, packet.to_bytes()?))?);
    }
    Ok(frames)
}

fn information(pid: Pid, data: Vec<u8>) -> Body<Vec<u8>> {
    Body::I { modulo: Modulo::Eight, n_s: 0, n_r: 0, pid, data }
}

fn between(source: &str, destination: &str, body: Body<Vec<u8>>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let (source, destination): (Address, Address) = (source.parse()?, destination.parse()?);
    let addressing = Addressing::new(source, destination, Digipeaters::NONE, Role::Command);
    Ok(Frame { addressing, poll_final: false, body }.to_bytes()?)
}
