//! Writes a capture file with one packet of every LonTalk service and PDU type to standard output:
//!
//! ```text
//! cargo run -p sojourn-protocols --example lontalk_capture > every-packet.pcap
//! tshark -r every-packet.pcap
//! ```

use std::io::{self, Write};

use sojourn_protocols::lontalk::lonip::{Stamp, capture_record};
use sojourn_protocols::lontalk::wire::examples;

/// Capture file format of libpcap, microseconds, link type 101: the packets begin with their IP header.
const FILE_HEADER: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 101];

fn main() -> io::Result<()> {
    let mut file = io::stdout().lock();
    for word in FILE_HEADER {
        file.write_all(&word.to_le_bytes())?;
    }
    let mut record = Vec::new();
    for (sequence, (_, packet)) in (0u32..).zip(examples()) {
        let stamp = Stamp { session: 1, sequence, time_stamp_ms: sequence };
        capture_record(&packet, stamp, &mut record).map_err(io::Error::other)?;
        for word in [0, sequence * 1000, record.len() as u32, record.len() as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&record)?;
    }
    Ok(())
}
