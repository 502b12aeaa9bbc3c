//! Explicit congestion notification: what the handshake agrees on, how a receiver echoes marks, and what an echo reports to the
//! sender (RFC 3168; accurate ECN, RFC 9768; DCTCP's echo, RFC 8257).

use super::output::Purpose;
use super::settings::{EcnMode, Settings};
use crate::ip::Ecn;
use crate::tcp::wire::Flags;

/// How the receiver of data echoes the marks on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Feedback {
    /// It does not: ECN was not agreed on.
    #[default]
    None,
    /// ECE from a mark until CWR arrives (RFC 3168, 6.1.3). A receiver whose own congestion control is DCTCP instead
    /// acknowledges with ECE exactly what was marked (RFC 8257, 3.2).
    Classic,
    /// The number of marked segments, modulo 8 (RFC 9768, 3.2.2).
    Accurate,
}

/// What the echo of an acknowledgement says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Echo {
    /// Whether marks are echoed that were not echoed before, or classic ECE is set.
    pub is_congested: bool,
    /// Octets of the segments that were marked, as far as the echo reports.
    pub marked: u64,
}

/// What a segment that has arrived asks of the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Data that wait for a delayed acknowledgement are to be acknowledged with the echo as it was, before this segment.
    pub flush: bool,
    /// This segment is to be acknowledged at once.
    pub ack_now: bool,
}

/// r.cep and s.cep after the handshake (RFC 9768, 3.2.1).
const INITIAL_CEP: u8 = 5;
/// Marks that trigger an acknowledgement at once (n of RFC 9768, 3.2.2.5.1): with data, and with acknowledgements alone, lest both
/// ends acknowledge each other's acknowledgements forever.
const MARKS_PER_ACK: u8 = 2;
const MARKS_PER_ACK_OF_ACKS: u8 = 3;

/// Both directions' state of ECN.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EcnState {
    feedback: Feedback,
    /// What IP headers of data say.
    code_point: Ecn,
    /// Whether those of all other segments say the same (Linux: congestion control that needs ECN).
    marks_all: bool,
    /// Whether ECE follows each segment's mark (RFC 8257, 3.2).
    echoes_each: bool,
    /// Whether acknowledgements carry ECE.
    echoing: bool,
    /// Segments with CE received, modulo 8.
    r_cep: u8,
    /// Of these, since the last acknowledgement.
    unechoed: u8,
    /// Whether the last segment with data had one.
    was_marked: bool,
    /// Segments with CE that the peer has reported, modulo 8.
    s_cep: u8,
    /// The code point of the peer's SYN, which the SYN-ACK reports (RFC 9768, 3.1.1).
    syn: Ecn,
    /// That of the peer's SYN-ACK, which the next segment reports in place of r.cep (RFC 9768, 3.2.2.1).
    syn_ack: Option<Ecn>,
    /// Whether the peer's next acknowledgement reports that of the own SYN-ACK.
    expects_syn_ack: bool,
    /// Whether the next new data carry CWR (RFC 3168, 6.1.2).
    cwr_due: bool,
}

impl EcnState {
    /// Both ends of a connection without a handshake: what the one asks for that the other accepts.
    pub fn established(settings: &Settings, peer: &Settings) -> Self {
        let modes = [settings.ecn, peer.ecn];
        let feedback = match (modes.iter().min(), modes.iter().max()) {
            (Some(EcnMode::Off), _) | (_, Some(EcnMode::Passive)) => Feedback::None,
            (Some(EcnMode::Classic), _) | (_, Some(EcnMode::Classic)) => Feedback::Classic,
            _ => Feedback::Accurate,
        };
        EcnState::with(settings, feedback)
    }

    fn with(settings: &Settings, feedback: Feedback) -> Self {
        let agreed = feedback != Feedback::None;
        EcnState {
            feedback,
            code_point: if agreed { settings.congestion.code_point() } else { Ecn::NotEct },
            marks_all: agreed && settings.congestion.is_scalable(),
            echoes_each: feedback == Feedback::Classic && settings.congestion.is_scalable(),
            r_cep: INITIAL_CEP,
            s_cep: INITIAL_CEP,
            ..EcnState::default()
        }
    }

    /// The peer's SYN asks for ECN with `flags`, or its SYN-ACK, which came with `ecn`, answers to what was asked.
    pub fn on_syn(&mut self, settings: &Settings, flags: &Flags, is_answer: bool, ecn: Ecn) {
        let feedback = match (settings.ecn, flags.ace()) {
            (EcnMode::Off, _) => Feedback::None,
            (EcnMode::Passive, _) if is_answer => Feedback::None,
            (EcnMode::Accurate, 0b010 | 0b011 | 0b100 | 0b110) if is_answer => Feedback::Accurate,
            (_, 0b001) | (EcnMode::Accurate, 0b101) if is_answer => Feedback::Classic,
            (EcnMode::Passive | EcnMode::Accurate, 0b111) if !is_answer => Feedback::Accurate,
            (_, 0b011 | 0b111) if !is_answer => Feedback::Classic,
            _ => Feedback::None,
        };
        *self = EcnState::with(settings, feedback);
        let is_accurate = feedback == Feedback::Accurate;
        self.expects_syn_ack = is_accurate && !is_answer;
        self.syn = ecn;
        self.syn_ack = (is_accurate && is_answer).then_some(ecn);
        if self.syn_ack == Some(Ecn::Ce) {
            self.r_cep += 1; // it counts (RFC 9768, 3.2.2.2)
        }
    }

    /// Control bits of the SYN, or of the SYN-ACK that answers to the peer's SYN.
    pub fn syn_flags(&self, settings: &Settings, is_answer: bool) -> Flags {
        let ace = match (is_answer, settings.ecn, self.feedback) {
            (false, EcnMode::Classic, _) => 0b011,
            (false, EcnMode::Accurate, _) => 0b111,
            (true, _, Feedback::Classic) => 0b001,
            (true, _, Feedback::Accurate) => report(self.syn),
            _ => 0,
        };
        Flags { syn: true, ..Flags::default() }.with_ace(ace)
    }

    /// Whether marks are not echoed.
    pub fn is_off(&self) -> bool {
        self.feedback == Feedback::None
    }

    // ---- receiver ----

    /// An acceptable segment with `length` octets of data has arrived with `ecn`.
    pub fn on_arrival(&mut self, ecn: Ecn, flags: &Flags, length: u32) -> Arrival {
        let is_marked = ecn == Ecn::Ce;
        match self.feedback {
            Feedback::None => Arrival::default(),
            Feedback::Classic if self.echoes_each => {
                let changes = length > 0 && is_marked != self.echoing;
                Arrival { flush: changes, ack_now: changes }
            }
            Feedback::Classic => {
                let reduced = flags.cwr && length > 0;
                // the sender may have next to no window left, as Linux notes
                let ack_now = reduced || is_marked && !self.echoing;
                self.echoing = is_marked || self.echoing && !reduced;
                Arrival { flush: false, ack_now }
            }
            Feedback::Accurate => {
                let count = u8::from(is_marked);
                (self.r_cep, self.unechoed) = ((self.r_cep + count) % 8, self.unechoed.saturating_add(count));
                // the first mark after none is echoed at once, too: a change-triggered acknowledgement
                let has_data = length > 0;
                let begins = has_data && is_marked && !self.was_marked;
                if has_data {
                    self.was_marked = is_marked;
                }
                let most = if has_data { MARKS_PER_ACK } else { MARKS_PER_ACK_OF_ACKS };
                Arrival { flush: false, ack_now: begins || self.unechoed >= most }
            }
        }
    }

    /// What waited is acknowledged: from now on the echo is the other one.
    pub fn flushed(&mut self) {
        self.echoing = !self.echoing;
    }

    /// Adds the echo to the control bits of a segment with ACK.
    pub fn echo(&mut self, flags: Flags) -> Flags {
        match self.feedback {
            Feedback::None => flags,
            Feedback::Classic => Flags { ece: self.echoing, ..flags },
            Feedback::Accurate => {
                self.unechoed = 0;
                flags.with_ace(self.syn_ack.take().map_or(self.r_cep, report))
            }
        }
    }

    // ---- sender ----

    /// What an acknowledgement of `delivered` octets, SACKed ones included, echoes.
    pub fn on_ack(&mut self, flags: &Flags, delivered: u64, smss: u64) -> Echo {
        match self.feedback {
            Feedback::None => Echo::default(),
            Feedback::Classic if flags.ece && !flags.syn => Echo { is_congested: true, marked: delivered },
            Feedback::Classic => Echo::default(),
            Feedback::Accurate => {
                if std::mem::take(&mut self.expects_syn_ack) && flags.ace() != INITIAL_CEP {
                    let is_congested = flags.ace() == report(Ecn::Ce);
                    self.s_cep += u8::from(is_congested);
                    return Echo { is_congested, marked: if is_congested { smss } else { 0 } };
                }
                if flags.syn {
                    return Echo::default();
                }
                let difference = u64::from((flags.ace() + 8 - self.s_cep) % 8);
                self.s_cep = flags.ace();
                let segments = delivered.div_ceil(smss);
                // the counter may have wrapped: the most marks that as many segments can have (RFC 9768, appendix A.2)
                let marked = if segments < 8 { difference } else { segments - (segments - difference) % 8 };
                Echo { is_congested: marked > 0, marked: marked * smss }
            }
        }
    }

    /// cwnd was reduced: the peer is to hear of it.
    pub fn on_reduction(&mut self) {
        self.cwr_due = self.feedback == Feedback::Classic;
    }

    /// What the IP header of a segment says, which may carry CWR.
    pub fn on_transmission(&mut self, purpose: Purpose, octets: u64, flags: &mut Flags) -> Ecn {
        // neither retransmissions nor probes of the window are marked (RFC 3168, 6.1.5 and 6.1.6)
        let is_new_data = purpose == Purpose::Data && octets > 0;
        if is_new_data && std::mem::take(&mut self.cwr_due) {
            flags.cwr = true;
        }
        if is_new_data || self.marks_all { self.code_point } else { Ecn::NotEct }
    }
}

/// How a segment reports the code point of a SYN or SYN-ACK (RFC 9768, tables 2 and 3).
fn report(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::machine::settings::Congestion;

    const MODES: [EcnMode; 4] = [EcnMode::Off, EcnMode::Passive, EcnMode::Classic, EcnMode::Accurate];

    fn settings(ecn: EcnMode) -> Settings {
        Settings { ecn, ..Settings::modern(1460) }
    }

    /// What both ends hold agreed on after a handshake.
    fn handshake(client: EcnMode, server: EcnMode) -> [Feedback; 2] {
        let (client, server) = (settings(client), settings(server));
        let (mut one, mut other) = (EcnState::default(), EcnState::default());
        other.on_syn(&server, &one.syn_flags(&client, false), false, Ecn::NotEct);
        one.on_syn(&client, &other.syn_flags(&server, true), true, Ecn::NotEct);
        [one.feedback, other.feedback]
    }

    #[test]
    fn one_end_that_asks_is_enough_and_the_other_may_refuse() {
        use EcnMode::{Accurate, Classic, Off, Passive};
        for (client, server, expected) in [
            (Off, Passive, Feedback::None),
            (Passive, Passive, Feedback::None),
            (Passive, Classic, Feedback::None),
            (Classic, Off, Feedback::None),
            (Classic, Passive, Feedback::Classic),
            (Classic, Accurate, Feedback::Classic),
            (Accurate, Off, Feedback::None),
            (Accurate, Passive, Feedback::Accurate),
            (Accurate, Classic, Feedback::Classic),
            (Accurate, Accurate, Feedback::Accurate),
        ] {
            assert_eq!(handshake(client, server), [expected; 2], "{client:?} {server:?}");
        }
    }

    #[test]
    fn without_a_handshake_both_ends_agree_whichever_asks() {
        for one in MODES {
            for other in MODES {
                let [a, b] = [(one, other), (other, one)]
                    .map(|(a, b)| EcnState::established(&settings(a), &settings(b)).feedback);
                assert_eq!(a, b);
                let best = handshake(one, other)[0] != Feedback::None || handshake(other, one)[0] != Feedback::None;
                assert_eq!(a != Feedback::None, best, "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn the_count_of_marks_survives_a_wrap_of_its_three_bits() {
        let mut sender = EcnState::with(&settings(EcnMode::Accurate), Feedback::Accurate);
        let ace = |count: u8| Flags::default().with_ace((INITIAL_CEP + count) % 8);
        assert_eq!(sender.on_ack(&ace(3), 4 * 1000, 1000).marked, 3000);
        assert_eq!(sender.on_ack(&ace(3), 2 * 1000, 1000), Echo::default());
        // of twelve segments 2 or 10 are marked: the safe assumption is 10
        assert_eq!(sender.on_ack(&ace(5), 12 * 1000, 1000).marked, 10_000);
        // all of eight
        assert_eq!(sender.on_ack(&ace(5), 8 * 1000, 1000).marked, 8000);
    }

    #[test]
    fn classic_receivers_echo_until_cwr_and_those_of_dctcp_each_mark() {
        let mut classic = EcnState::with(&settings(EcnMode::Classic), Feedback::Classic);
        let dctcp = Settings { congestion: Congestion::Dctcp, ..settings(EcnMode::Classic) };
        let mut exact = EcnState::with(&dctcp, Feedback::Classic);
        let mut ece = [Vec::new(), Vec::new()];
        for (ecn, cwr) in [(Ecn::Ect0, false), (Ecn::Ce, false), (Ecn::Ect0, false), (Ecn::Ect0, true)] {
            let flags = Flags { cwr, ..Flags::default() };
            for (state, ece) in [&mut classic, &mut exact].into_iter().zip(&mut ece) {
                if state.on_arrival(ecn, &flags, 1000).flush {
                    state.flushed();
                }
                ece.push(state.echo(Flags::default()).ece);
            }
        }
        assert_eq!(ece, [[false, true, true, false], [false, true, false, false]]);
    }
}
