//! Control segment and the spans of an ECNTL.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Control segment: the state of the receiver that sends it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// `rseq`: next byte expected in order.
    pub rseq: u64,
    /// `alloc`: one above the last byte that may be sent.
    pub alloc: u64,
    /// `echo`: highest sync number received.
    pub echo: u32,
}

/// Bytes received out of order: from `left` up to, not including, `right`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Sequence number of the first byte.
    pub left: u64,
    /// One above the last byte.
    pub right: u64,
}

impl Span {
    /// Length of a span in an ECNTL, bytes.
    pub const LENGTH: usize = 16;
}

impl Control {
    /// Length of the segment in CNTL and ECNTL, bytes.
    pub const LENGTH: usize = 20;

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        Ok(Control { rseq: reader.u64("rseq")?, alloc: reader.u64("alloc")?, echo: reader.u32("echo")? })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        writer.u64(self.rseq);
        writer.u64(self.alloc);
        writer.u32(self.echo);
    }
}

pub(super) fn parse_spans(reader: &mut Reader<'_>) -> Result<Vec<Span>, ParseError> {
    let field = reader.u32("number of spans")?;
    let (needed, found) = (u64::from(field) * Span::LENGTH as u64, reader.0.len());
    if needed != found as u64 {
        return Err(ParseError::Spans { field, needed, found });
    }
    (0..field).map(|_| Ok(Span { left: reader.u64("span")?, right: reader.u64("span")? })).collect()
}

pub(super) fn emit_spans(spans: &[Span], writer: &mut Writer<'_>) {
    writer.u32(spans.len() as u32);
    for span in spans {
        writer.u64(span.left);
        writer.u64(span.right);
    }
}
