//! Statistics of stations and pairs of stations on a channel.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;
use sojourn_protocols::ax25::wire::{Address, Addressing, Body, Frame, Modulo, Supervisory};

use super::repetition::Recent;
use crate::progress::survey::{ChannelStats, Pair, Station};
use crate::transports::ax25::airtime::Air;

/// Stations, and pairs of them, that are tracked at most.
const MOST: usize = 1000;

/// The statistics so far.
#[derive(Clone, Debug)]
pub struct Census {
    air: Air,
    stations: BTreeMap<Address, Share>,
    pairs: BTreeMap<(Address, Address), Talk>,
    total: Share,
    retries: u64,
    /// Frames that could not be decoded.
    unreadable: u64,
}

/// Transmissions of a station.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    frames: u64,
    octets: u64,
    airtime: Duration,
    last: Time,
}

/// Traffic from one station to another.
#[derive(Clone, Debug, Default)]
struct Talk {
    share: Share,
    information: u64,
    octets_of_information: u64,
    retries: u64,
    rejects: u64,
    unnumbered: u64,
    /// Whether their link was set up by SABME (modulo 128).
    extended: bool,
    /// Recent I frames, by the number of digipeaters that have repeated them.
    recent: BTreeMap<usize, Recent>,
}

impl Share {
    fn add(&mut self, now: Time, octets: usize, airtime: Duration) {
        self.frames += 1;
        self.octets += octets as u64;
        self.airtime += airtime;
        self.last = now;
    }

    fn utilisation(&self, now: Time) -> f64 {
        let seconds = now.seconds();
        if seconds > 0.0 { self.airtime.seconds() / seconds } else { 0.0 }
    }
}

impl Census {
    /// Statistics without frames of a channel with these parameters.
    pub fn new(air: Air) -> Census {
        let (stations, pairs) = (BTreeMap::new(), BTreeMap::new());
        Census { air, stations, pairs, total: Share::default(), retries: 0, unreadable: 0 }
    }

    /// Frames received, undecodable ones included.
    pub fn frames(&self) -> u64 {
        self.total.frames
    }

    /// Frames that could not be decoded.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Counts a frame received at `now`.
    pub fn decode(&mut self, now: Time, octets: &[u8]) {
        let airtime = self.air.frame(octets);
        self.total.add(now, octets.len(), airtime);
        let Ok(frame) = Frame::parse_with(octets, |addressing| self.modulo(addressing)) else {
            self.unreadable += 1;
            return;
        };
        let Addressing { source, destination, digipeaters, .. } = frame.addressing;
        let transmitter = digipeaters.iter().filter(|(_, repeated)| *repeated).last().map_or(source, |(call, _)| call);
        if self.stations.len() < MOST || self.stations.contains_key(&transmitter) {
            self.stations.entry(transmitter).or_default().add(now, octets.len(), airtime);
        }
        if self.pairs.len() < MOST || self.pairs.contains_key(&(source, destination)) {
            let talk = self.pairs.entry((source, destination)).or_default();
            talk.share.add(now, octets.len(), airtime);
            self.retries += u64::from(talk.decode(&frame));
        }
        self.follow(&frame);
    }

    /// The frames that set a link up determine its modulus, for both directions.
    fn follow(&mut self, frame: &Frame<&[u8]>) {
        let extended = match frame.body {
            Body::Sabme => true,
            Body::Sabm | Body::Dm | Body::Disc | Body::Frmr(_) => false,
            _ => return,
        };
        let Addressing { source, destination, .. } = frame.addressing;
        for pair in [(source, destination), (destination, source)] {
            if let Some(talk) = self.pairs.get_mut(&pair) {
                talk.extended = extended;
                talk.recent.values_mut().for_each(Recent::forget);
            }
        }
    }

    fn modulo(&self, addressing: &Addressing) -> Modulo {
        let Addressing { source, destination, .. } = *addressing;
        let mut known =
            [(source, destination), (destination, source)].into_iter().filter_map(|pair| self.pairs.get(&pair));
        if known.any(|talk| talk.extended) { Modulo::OneHundredTwentyEight } else { Modulo::Eight }
    }

    /// The statistics for a watcher.
    pub fn survey(&self, now: Time) -> ChannelStats {
        let station = |(callsign, share): (&Address, &Share)| Station {
            callsign: callsign.to_string(),
            frames: share.frames,
            octets: share.octets,
            utilisation: share.utilisation(now),
            heard_s_ago: now.since(share.last).seconds(),
        };
        let pair = |((from, to), talk): (&(Address, Address), &Talk)| Pair {
            from: from.to_string(),
            to: to.to_string(),
            frames: talk.share.frames,
            information: talk.information,
            octets_of_information: talk.octets_of_information,
            retries: talk.retries,
            rejects: talk.rejects,
            unnumbered: talk.unnumbered,
        };
        ChannelStats {
            seconds: now.seconds(),
            frames: self.total.frames,
            octets: self.total.octets,
            utilisation: self.total.utilisation(now),
            retries: self.retries,
            unreadable: self.unreadable,
            stations: self.stations.iter().map(station).collect(),
            pairs: self.pairs.iter().map(pair).collect(),
        }
    }

    /// The metrics in total, and of each station and pair.
    pub fn record(&self, now: Time) -> Record {
        let mut record = Record::default();
        record.scalar("utilisation", self.total.utilisation(now));
        record.count("packets", self.total.frames - self.unreadable);
        record.count("retries", self.retries);
        for (callsign, share) in &self.stations {
            record.scalar(format!("utilisation/{callsign}"), share.utilisation(now));
            record.count(format!("packets/{callsign}"), share.frames);
        }
        for ((from, to), talk) in &self.pairs {
            record.count(format!("packets/{from}>{to}"), talk.share.frames);
            if talk.information > 0 {
                record.count(format!("retries/{from}>{to}"), talk.retries);
            }
        }
        record
    }
}

impl Talk {
    /// Takes a frame; true if it is a repeated I frame.
    fn decode(&mut self, frame: &Frame<&[u8]>) -> bool {
        let hop = frame.addressing.digipeaters.iter().filter(|(_, repeated)| *repeated).count();
        match frame.body {
            Body::I { modulo, n_s, data, .. } => {
                let repeated = self.recent.entry(hop).or_default().is_repeated(modulo, n_s, data);
                self.retries += u64::from(repeated);
                self.information += 1;
                self.octets_of_information += data.len() as u64;
                return repeated;
            }
            Body::S { kind: Supervisory::Rej | Supervisory::Srej, .. } => self.rejects += 1,
            Body::Ui { .. } => self.unnumbered += 1,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::ax25::machine::LinkKey;
    use sojourn_protocols::ax25::wire::{Digipeaters, Pid, Role};

    use super::*;

    const AIR: Air = Air { bit_rate: 1200, transmit_delay: Duration::ZERO, transmit_tail: Duration::ZERO };

    fn call(text: &str) -> Address {
        text.parse().unwrap()
    }

    fn frame(from: &str, to: &str, body: Body<&[u8]>) -> Vec<u8> {
        let addressing = LinkKey::direct(call(from), call(to)).addressing(Role::Command);
        Frame { addressing, poll_final: false, body }.to_bytes().unwrap()
    }

    fn information(modulo: Modulo, send: u8) -> Body<&'static [u8]> {
        Body::I { modulo, n_s: send, n_r: 0, pid: Pid::NONE, data: b"hello" }
    }

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn utilisation_is_the_frames_air_time_at_the_bit_rate() {
        let mut census = Census::new(AIR);
        let bytes = frame("A", "B", information(Modulo::Eight, 0));
        census.decode(at(1), &bytes);
        let survey = census.survey(at(2));
        assert_eq!(survey.utilisation, AIR.frame(&bytes).seconds() / 2.0);
        assert_eq!((survey.frames, survey.octets), (1, bytes.len() as u64));
        assert_eq!(survey.stations[0].heard_s_ago, 1.0);
    }

    #[test]
    fn a_frame_repeated_by_a_digipeater_is_not_a_retry_and_one_received_twice_is() {
        let mut census = Census::new(AIR);
        let route = Digipeaters::new(&[call("DIGI")]).unwrap();
        let key = LinkKey { own: call("A"), peer: call("B"), digipeaters: route };
        let sent =
            Frame { addressing: key.addressing(Role::Command), poll_final: false, body: information(Modulo::Eight, 0) };
        let mut repeated = sent;
        repeated.addressing.digipeaters = route.advanced();
        for frame in [sent, repeated] {
            census.decode(at(1), &frame.to_bytes().unwrap());
        }
        assert_eq!(census.survey(at(2)).retries, 0);
        census.decode(at(3), &sent.to_bytes().unwrap());
        let survey = census.survey(at(4));
        assert_eq!(survey.retries, 1);
        let heard: Vec<_> = survey.stations.iter().map(|station| (station.callsign.as_str(), station.frames)).collect();
        assert_eq!(heard, [("A", 2), ("DIGI", 1)]);
        assert_eq!((survey.pairs.len(), survey.pairs[0].information), (1, 3));
    }

    #[test]
    fn numbers_are_read_modulo_128_after_sabme_in_both_directions() {
        let mut census = Census::new(AIR);
        census.decode(at(1), &frame("A", "B", Body::Sabme));
        census.decode(at(2), &frame("B", "A", information(Modulo::OneHundredTwentyEight, 100)));
        census.decode(at(3), &frame("A", "B", information(Modulo::OneHundredTwentyEight, 100)));
        let survey = census.survey(at(4));
        assert_eq!(
            (survey.unreadable, survey.pairs[0].octets_of_information, survey.pairs[1].octets_of_information),
            (0, 5, 5)
        );
    }

    #[test]
    fn undecodable_frames_are_counted_and_the_number_of_stations_is_bounded() {
        let mut census = Census::new(AIR);
        census.decode(at(1), b"garbage");
        for number in 0..3000 {
            census.decode(at(1), &frame(&format!("S{number}"), "B", Body::Sabm));
        }
        let survey = census.survey(at(2));
        assert_eq!((survey.unreadable, survey.frames, survey.stations.len()), (1, 3001, MOST));
    }
}
