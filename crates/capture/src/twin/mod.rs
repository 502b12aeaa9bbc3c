//! A twin: a scenario that reproduces what a capture shows.
//!
//! A [`Survey`] takes every packet of a capture, and from the trackers every event, and keeps what a scenario needs: who is
//! where, what is sent how often, how large, which timers show. [`Survey::twin`] writes it as TOML; a comment before each
//! inferred value says how it was inferred, from how much, and how sure that is.

mod arrivals;
mod document;
mod lontalk;

use thiserror::Error;

use self::lontalk::LonTalk;
use crate::Packet;

/// What a twin shall be like.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether addresses of the capture are left out.
    pub anonymise: bool,
    /// Name of the scenario without ending: traces have it before their own.
    pub name: String,
}

/// A scenario, and the files that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The scenario as TOML.
    pub scenario: String,
    /// Traces of flows that follow no law.
    pub traces: Vec<Trace>,
}

/// The messages of a flow, as a scenario's `arrivals` of kind `trace` reads them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its name beside the scenario.
    pub file: String,
    /// Its contents, CSV.
    pub text: String,
}

/// Why there is no twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTwin {
    /// The capture has no packets of a network that has a twin.
    #[error("the capture has no packets of a network that a scenario can be inferred for")]
    Nothing,
}

/// What a capture shows of the network behind it.
#[derive(Debug, Default)]
pub struct Survey {
    lontalk: LonTalk,
}

impl Survey {
    /// Takes the next packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        self.lontalk.packet(packet);
    }

    /// The scenario of the network that most packets belong to.
    pub fn twin(self, options: &Options) -> Result<Twin, NoTwin> {
        if self.lontalk.packets() > 0 { Ok(self.lontalk.twin(options)) } else { Err(NoTwin::Nothing) }
    }
}
