//! Decompression of capture files: gzip and zstd, each of any number of members or frames.

use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes that identify the format of a file.
pub(super) const MAGIC_LENGTH: usize = 4;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Compressions that this reader lacks, by the first bytes of their files.
const OTHERS: [(&[u8], &str); 4] =
    [(b"BZh", "bzip2"), (b"\xfd7zX", "xz"), (b"PK\x03\x04", "zip"), (b"\x04\x22\x4d\x18", "lz4")];

/// The contents of `input`, decompressed if its first bytes are those of gzip or zstd.
pub(super) fn decompressed(mut input: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
    let mut first = Vec::with_capacity(MAGIC_LENGTH);
    input.by_ref().take(MAGIC_LENGTH as u64).read_to_end(&mut first)?;
    let (gzip, zstd) = (first.starts_with(&GZIP), first == ZSTD);
    let whole = Cursor::new(first).chain(input);
    Ok(match (gzip, zstd) {
        (true, _) => Box::new(MultiGzDecoder::new(whole)),
        (_, true) => Box::new(Zstd::new(whole)),
        _ => Box::new(whole),
    })
}

/// The compression of a file that begins with `first` and that this reader lacks.
pub(super) fn unknown_compression(first: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(magic, _)| first.starts_with(magic)).map(|&(_, name)| name)
}

/// Decompresses one zstd frame after the other.
struct Zstd<R> {
    source: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Zstd<R> {
    fn new(source: R) -> Self {
        Zstd { source: BufReader::new(source), decoder: FrameDecoder::new(), in_frame: false }
    }

    /// Begins the next frame; false at the end of the input.
    fn begin_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    io::copy(&mut self.source.by_ref().take(length.into()), &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.in_frame || self.begin_frame()? {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
            }
            let length = self.decoder.read(into)?;
            if length > 0 || into.is_empty() {
                return Ok(length);
            }
            self.in_frame = false;
        }
        Ok(0)
    }
}
