//! WAV files of one channel and 16 bits a sample.

use std::fs;
use std::io;
use std::path::Path;

const HEADER: usize = 44;

/// Writes samples from -1 to 1.
pub fn write(file: &Path, sample_rate: u32, samples: &[f64]) -> io::Result<()> {
    let length = 2 * samples.len() as u32;
    let mut bytes = Vec::with_capacity(HEADER + length as usize);
    bytes.extend(b"RIFF");
    bytes.extend((length + HEADER as u32 - 8).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16u32.to_le_bytes());
    // uncompressed, one channel
    bytes.extend([1, 0, 1, 0]);
    bytes.extend(sample_rate.to_le_bytes());
    bytes.extend((2 * sample_rate).to_le_bytes());
    bytes.extend([2, 0, 16, 0]);
    bytes.extend(b"data");
    bytes.extend(length.to_le_bytes());
    bytes.extend(samples.iter().flat_map(|sample| ((sample * 32767.0) as i16).to_le_bytes()));
    fs::write(file, bytes)
}

/// The sample rate and the samples, from -1 to 1.
pub fn read(file: &Path) -> io::Result<(u32, Vec<f64>)> {
    let bytes = fs::read(file)?;
    let plain = bytes.len() >= HEADER && bytes.starts_with(b"RIFF") && bytes[20..24] == [1, 0, 1, 0];
    if !plain || bytes[34] != 16 || &bytes[36..40] != b"data" {
        return Err(io::Error::other("not a plain WAV file of one channel and 16 bits a sample"));
    }
    let sample_rate = u32::from_le_bytes([bytes[24], bytes[25], bytes[26], bytes[27]]);
    let samples =
        bytes[HEADER..].chunks_exact(2).map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]])) / 32768.0);
    Ok((sample_rate, samples.collect()))
}
