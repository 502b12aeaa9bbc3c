//! The control segment, with which a receiver reports, and the spans of an ECNTL.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// What a receiver reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// `rseq`: the next byte expected in order.
    pub received: u64,
    /// `alloc`: one beyond the last byte there is buffer for.
    pub allocation: u64,
    /// `echo`: the highest synchronising number seen.
    pub echo: u32,
}

/// Bytes beyond a gap that a receiver holds: from `left` up to, not including, `right`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte held.
    pub left: u64,
    /// One beyond the last byte held.
    pub right: u64,
}

impl Span {
    /// Bytes of a span in an ECNTL.
    pub const LENGTH: usize = 16;
}

impl Control {
    /// Bytes of the segment in CNTL and ECNTL.
    pub const LENGTH: usize = 20;

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        Ok(Control { received: reader.u64("rseq")?, allocation: reader.u64("alloc")?, echo: reader.u32("echo")? })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        writer.u64(self.received);
        writer.u64(self.allocation);
        writer.u32(self.echo);
    }
}

pub(super) fn parse_spans(reader: &mut Reader<'_>) -> Result<Vec<Span>, ParseError> {
    let said = reader.u32("number of spans")?;
    let (needed, found) = (u64::from(said) * Span::LENGTH as u64, reader.0.len());
    if needed != found as u64 {
        return Err(ParseError::Spans { said, needed, found });
    }
    (0..said).map(|_| Ok(Span { left: reader.u64("span")?, right: reader.u64("span")? })).collect()
}

pub(super) fn emit_spans(spans: &[Span], writer: &mut Writer<'_>) {
    writer.u32(spans.len() as u32);
    for span in spans {
        writer.u64(span.left);
        writer.u64(span.right);
    }
}
