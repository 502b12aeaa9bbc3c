//! Top talkers and conversations between stations.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::Address;
use crate::analysis::Findings;

/// What a station sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Station {
    /// Packets sent.
    pub packets: u64,
    /// Their bytes from layer 3 on.
    pub l3_bytes: u64,
}

impl Station {
    fn add(&mut self, packets: u64, l3_bytes: u64) {
        self.packets += packets;
        self.l3_bytes += l3_bytes;
    }
}

impl Findings {
    /// What each station sent, the one with the most bytes first.
    pub fn stations(&self) -> Vec<(Address, Station)> {
        let mut stations: BTreeMap<Address, Station> = BTreeMap::new();
        for ((from, _), station) in self.conversations() {
            stations.entry(from).or_default().add(station.packets, station.l3_bytes);
        }
        let mut stations: Vec<_> = stations.into_iter().collect();
        stations.sort_by_key(|&(address, station)| (Reverse(station.l3_bytes), address));
        stations
    }

    /// What each station sent to each other, the pair with the most bytes first.
    pub fn conversations(&self) -> Vec<((Address, Address), Station)> {
        let mut pairs: BTreeMap<(Address, Address), Station> = BTreeMap::new();
        for (flow, key) in self.sink.flows().iter() {
            let Some(found) = self.sink.flow_tally(flow) else { continue };
            let [forward, back] = [0, 1].map(|side| (found.tally.packets[side], found.tally.l3_bytes[side]));
            for (pair, (packets, bytes)) in [((key.from, key.to), forward), ((key.to, key.from), back)] {
                if packets > 0 {
                    pairs.entry(pair).or_default().add(packets, bytes);
                }
            }
        }
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_by_key(|&(pair, station)| (Reverse(station.l3_bytes), pair));
        pairs
    }
}
