//! Writes a capture file with one XTP packet of every format, straight on IPv4, to standard output:
//!
//! ```text
//! cargo run -p sojourn-protocols --example xtp_capture > every-packet.pcap
//! tshark -r every-packet.pcap
//! ```

use std::io::{self, Write};

use sojourn_protocols::xtp::ip::Datagram;
use sojourn_protocols::xtp::wire::examples;

/// Capture file format of libpcap, microseconds, link type 101: the packets begin with their IP header.
const FILE_HEADER: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 101];

fn main() -> io::Result<()> {
    let mut file = io::stdout().lock();
    for word in FILE_HEADER {
        file.write_all(&word.to_le_bytes())?;
    }
    let mut record = Vec::new();
    for (number, (_, packet)) in (0u16..).zip(examples()) {
        let hosts = [[10, 0, 0, 1], [10, 0, 0, 2]];
        let back = packet.header.key.is_returned();
        let (source, destination) = (hosts[usize::from(back)], hosts[usize::from(!back)]);
        let datagram = Datagram { source, destination, identification: number, packet };
        datagram.capture_record(&mut record).map_err(io::Error::other)?;
        for word in [0, u32::from(number) * 1000, record.len() as u32, record.len() as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&record)?;
    }
    Ok(())
}
