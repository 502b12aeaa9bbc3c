//! The parameters of a link, and the XID exchange in which the two stations of a v2.2 link negotiate them.
//!
//! XID does not negotiate the modulus: SABME has settled it. The lesser reject mode holds, the greater T1 and N2; each
//! station observes the N1 and k that the other accepts (AX.25 v2.2 section 6.3.2).

use super::context::Context;
use super::rtt_estimator::RttEstimator;
use super::settings::{RejectMode, Settings, Version};
use super::timer::Timer;
use crate::ax25::wire::{Classes, Functions, Modulo, Xid};

const PICOSECONDS_PER_MILLISECOND: u64 = 1_000_000_000;

/// What the two stations of a link have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    pub version: Version,
    pub modulo: Modulo,
    pub reject_mode: RejectMode,
    /// k: I frames in flight.
    pub k: u8,
    /// N1: octets of information in an I frame that is sent.
    pub n1: u16,
    /// N2: tries before the link is given up. Negotiated, it outlasts a reset.
    pub n2: u8,
}

impl Parameters {
    pub fn new(settings: &Settings, modulo: Modulo) -> Self {
        let mut parameters = Parameters {
            version: Version::V2_0,
            modulo,
            reject_mode: RejectMode::GoBack,
            k: settings.k,
            n1: settings.n1,
            n2: settings.n2,
        };
        parameters.restart(settings, modulo);
        parameters
    }

    /// The defaults of a link set up with this modulus.
    pub fn restart(&mut self, settings: &Settings, modulo: Modulo) {
        self.modulo = modulo;
        self.n1 = settings.n1;
        (self.version, self.reject_mode, self.k) = match modulo {
            Modulo::Eight => (Version::V2_0, RejectMode::GoBack, settings.k),
            Modulo::OneHundredTwentyEight => {
                // multi-selective SREJ needs an XID exchange first
                let reject_mode = settings.reject_mode.min(RejectMode::Selective);
                (Version::V2_2, reject_mode, settings.k_extended)
            }
        };
        self.limit_k();
    }

    /// Adopts what the peer's XID offers.
    pub fn adopt(&mut self, settings: &Settings, xid: &Xid) {
        self.reject_mode = settings.reject_mode.min(reject_mode(xid));
        self.k = settings.k_extended.min(xid.k.unwrap_or(u8::MAX));
        self.limit_k();
        self.n1 = settings.n1.min(xid.n1.unwrap_or(u16::MAX));
        self.n2 = settings.n2.max(xid.n2.unwrap_or(0));
    }

    /// With SREJ a frame must be distinguished from the one numbered alike a round before: k is at most half the modulus.
    fn limit_k(&mut self) {
        if self.reject_mode != RejectMode::GoBack {
            self.k = self.k.min(self.modulo.largest() / 2 + 1);
        }
    }
}

/// The parameters that a station offers in XID.
pub(super) fn offer(settings: &Settings) -> Xid {
    let mut functions = Functions::ALWAYS.with(Functions::REJECT);
    let extended = settings.version == Version::V2_2;
    functions = functions.with(if extended { Functions::MODULO_128 } else { Functions::MODULO_8 });
    if extended && settings.reject_mode >= RejectMode::Selective {
        functions = functions.with(Functions::SELECTIVE_REJECT);
    }
    if extended && settings.reject_mode == RejectMode::MultiSelective {
        functions = functions.with(Functions::MULTI_SELECTIVE_REJECT);
    }
    let milliseconds = settings.frack.picoseconds() / PICOSECONDS_PER_MILLISECOND;
    Xid {
        classes: Some(Classes::HalfDuplex),
        functions: Some(functions),
        n1: Some(settings.n1_receive),
        k: Some(if extended { settings.k_extended } else { settings.k }),
        t1_ms: Some(u16::try_from(milliseconds).unwrap_or(u16::MAX)),
        n2: Some(settings.n2),
    }
}

/// The response to the peer's XID command: the greater T1 and N2, and this station's own offer otherwise.
pub(super) fn response(settings: &Settings, xid: &Xid) -> Xid {
    let own = offer(settings);
    Xid { t1_ms: own.t1_ms.max(xid.t1_ms), n2: own.n2.max(xid.n2), ..own }
}

/// The best reject mode a station offers; absent, it is the default of v2.2.
fn reject_mode(xid: &Xid) -> RejectMode {
    match xid.functions {
        Some(functions) if functions.has(Functions::MULTI_SELECTIVE_REJECT) => RejectMode::MultiSelective,
        Some(functions) if !functions.has(Functions::SELECTIVE_REJECT) => RejectMode::GoBack,
        _ => RejectMode::Selective,
    }
}

/// An XID exchange that this station has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct XidExchange {
    /// TM201: runs while a response is awaited.
    pub timer: Timer,
    /// NM201: XID commands sent.
    tries: u8,
}

impl XidExchange {
    /// The first XID command is to be sent.
    pub fn begin(&mut self) {
        self.tries = 1;
    }

    /// Starts TM201 for an XID command that is handed over now.
    pub fn sent<D>(&mut self, context: &Context<'_, D>, rtt: &RttEstimator) {
        self.timer = context.started(rtt.t1v(self.tries.saturating_sub(1)));
    }

    /// TM201 expired; returns whether to send the command again. After N2 tries the link keeps the defaults of v2.2.
    pub fn retry(&mut self, n2: u8) -> bool {
        let again = self.tries < n2;
        self.tries += u8::from(again);
        again
    }

    /// Ends the exchange; returns whether a response was awaited.
    pub fn finish(&mut self) -> bool {
        let awaited = !self.timer.is_stopped();
        self.timer.stop();
        awaited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extended(reject_mode: RejectMode) -> Settings {
        Settings { version: Version::V2_2, reject_mode, k_extended: 100, ..Settings::default() }
    }

    #[test]
    fn selective_reject_limits_k_to_half_the_modulus() {
        let selective = Parameters::new(&extended(RejectMode::Selective), Modulo::OneHundredTwentyEight);
        assert_eq!((selective.reject_mode, selective.k), (RejectMode::Selective, 64));
        let go_back = Parameters::new(&extended(RejectMode::GoBack), Modulo::OneHundredTwentyEight);
        assert_eq!((go_back.reject_mode, go_back.k), (RejectMode::GoBack, 100));
    }

    #[test]
    fn multi_selective_reject_holds_only_after_both_stations_have_offered_it() {
        let settings = extended(RejectMode::MultiSelective);
        let mut parameters = Parameters::new(&settings, Modulo::OneHundredTwentyEight);
        assert_eq!(parameters.reject_mode, RejectMode::Selective);
        parameters.adopt(&settings, &offer(&settings));
        assert_eq!(parameters.reject_mode, RejectMode::MultiSelective);
    }

    #[test]
    fn the_smaller_k_and_n1_hold_and_the_greater_n2() {
        let settings = extended(RejectMode::GoBack);
        let mut parameters = Parameters::new(&settings, Modulo::OneHundredTwentyEight);
        let functions = Some(Functions::ALWAYS.with(Functions::REJECT));
        parameters.adopt(&settings, &Xid { functions, k: Some(5), n1: Some(128), n2: Some(20), ..Xid::default() });
        assert_eq!((parameters.k, parameters.n1, parameters.n2), (5, 128, 20));
        parameters.restart(&settings, Modulo::OneHundredTwentyEight);
        assert_eq!((parameters.k, parameters.n1, parameters.n2), (100, 256, 20));
    }

    #[test]
    fn an_xid_command_is_repeated_up_to_n2_times() {
        let mut exchange = XidExchange::default();
        exchange.begin();
        assert_eq!([exchange.retry(3), exchange.retry(3), exchange.retry(3)], [true, true, false]);
    }
}
