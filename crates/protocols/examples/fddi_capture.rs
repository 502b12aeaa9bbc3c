//! Writes a capture file with one frame of every FDDI class to standard output; with `--decodable`, synchronous frames
//! show as asynchronous ones:
//!
//! ```text
//! cargo run -p sojourn-protocols --example fddi_capture > every-frame.pcap
//! tshark -r every-frame.pcap
//! ```

use std::io::{self, Write};

use sojourn_protocols::fddi::{capture_record, examples};

/// Capture file format of libpcap, microseconds, link type 10: FC, bit-reversed addresses, INFO.
const FILE_HEADER: [u32; 6] = [0xa1b2_c3d4, 0x0004_0002, 0, 0, 65535, 10];

fn main() -> io::Result<()> {
    let decodable = std::env::args().any(|argument| argument == "--decodable");
    let mut file = io::stdout().lock();
    for word in FILE_HEADER {
        file.write_all(&word.to_le_bytes())?;
    }
    let mut record = Vec::new();
    for (number, (_, frame)) in (0u32..).zip(examples()) {
        capture_record(&frame, decodable, &mut record).map_err(io::Error::other)?;
        for word in [0, number * 1000, record.len() as u32, record.len() as u32] {
            file.write_all(&word.to_le_bytes())?;
        }
        file.write_all(&record)?;
    }
    Ok(())
}
