//! Decompression of capture files: gzip and zstd, each of any number of members or frames.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::window::Window;

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
        (_, true) => Box::new(Zstd::new(Box::new(whole))),
        _ => Box::new(whole),
    })
}

/// The compression of a file that begins with `first` and that this reader lacks.
pub(super) fn unknown_compression(first: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(magic, _)| first.starts_with(magic)).map(|&(_, name)| name)
}

/// Most bytes of the header of a zstd frame, with its magic number (RFC 8878, 3.1.1.1).
const FRAME_HEADER: usize = 18;
/// Most bytes that a step of the decoder takes: the header of a block, the block, and the checksum behind the last (RFC 8878, 3.1.1).
const STEP: usize = 3 + 128 * 1024 + 4;

/// Decompresses one zstd frame after the other. The decoder cannot be interrupted within a step, so a step begins once its bytes are there.
struct Zstd {
    source: Window,
    decoder: FrameDecoder,
    in_frame: bool,
    /// Bytes of a skippable frame that are to be passed over.
    skipped: usize,
}

impl Zstd {
    fn new(source: Box<dyn Read + Send>) -> Self {
        Zstd { source: Window::new(source), decoder: FrameDecoder::new(), in_frame: false, skipped: 0 }
    }

    /// Begins the next frame; false at the end of the input.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            while self.skipped > 0 && self.source.fill(1)? {
                let length = self.skipped.min(self.source.bytes().len());
                self.source.pass(length);
                self.skipped -= length;
            }
            if !self.source.fill(FRAME_HEADER)? && self.source.bytes().is_empty() {
                return Ok(false);
            }
            match self.taken(|decoder, bytes| decoder.init(bytes)) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    self.skipped = length as usize;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }

    /// Passes over the bytes that `take` took.
    fn taken<T>(&mut self, take: impl FnOnce(&mut FrameDecoder, &mut &[u8]) -> T) -> T {
        let mut rest = self.source.bytes();
        let available = rest.len();
        let found = take(&mut self.decoder, &mut rest);
        let length = available - rest.len();
        self.source.pass(length);
        found
    }
}

impl Read for Zstd {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.in_frame || self.begin_frame()? {
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.source.fill(STEP)?;
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.taken(|decoder, bytes| decoder.decode_blocks(bytes, one)).map_err(io::Error::other)?;
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
