//! Packet lengths: those of XTP 4.0, or those of the voice study's stack.

use super::{Body, HEADER_LENGTH, Packet, Span};
use crate::UserData;

/// A revision's packet lengths. Only those of XTP 4.0 have bytes; the others are sizes for a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sizing {
    /// XTP 4.0, the length of the bytes that [`Packet::emit`] writes.
    #[default]
    Xtp4,
    /// The XTP 3 stack of UVA TR-92-05: a header of 40 bytes and a trailer of 4 around the data, a control segment
    /// of 40 and 16 for each span. Segments of other formats count as in XTP 4.0.
    Study44,
}

/// Header and trailer of the study's stack.
const STUDY_OVERHEAD: usize = 44;
/// The study's control segment.
const STUDY_CONTROL: usize = 40;

impl Sizing {
    /// Bytes of `packet` on the link.
    #[inline]
    pub fn length<D: UserData>(self, packet: &Packet<D>) -> usize {
        match self {
            Sizing::Xtp4 => packet.length(),
            Sizing::Study44 => STUDY_OVERHEAD + study_body(&packet.body),
        }
    }

    /// Bytes that a DATA packet has beyond its data.
    pub const fn data_overhead(self) -> usize {
        match self {
            Sizing::Xtp4 => HEADER_LENGTH,
            Sizing::Study44 => STUDY_OVERHEAD,
        }
    }
}

fn study_body<D: UserData>(body: &Body<D>) -> usize {
    match body {
        Body::Control(_) => STUDY_CONTROL,
        Body::ErrorControl(_, spans) => STUDY_CONTROL + Span::LENGTH * spans.len(),
        Body::TrafficControl { traffic, .. } => STUDY_CONTROL + traffic.length(),
        Body::JoinControl { address, traffic, .. } => STUDY_CONTROL + address.length() + traffic.length(),
        Body::Data { .. } | Body::First { .. } | Body::Diagnostic(_) => body.length(),
    }
}
