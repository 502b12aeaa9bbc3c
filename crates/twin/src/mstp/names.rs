//! Names of stations: a group of like ones, and its members; routers; stations behind them.

use std::collections::BTreeMap;

use super::device::Device;
use super::place::Place;

/// Names by place.
#[derive(Debug)]
pub(super) struct Names {
    /// A suffix where there are several trunks.
    suffix: String,
    names: BTreeMap<Place, String>,
    /// Groups: their name, and the addresses of their members.
    groups: Vec<(String, Vec<u8>)>,
    /// Stations behind a router, by its address.
    far: BTreeMap<u8, Vec<String>>,
}

impl Names {
    /// The names of the stations of a trunk.
    pub fn new(suffix: String, devices: &[Device], places: impl Iterator<Item = Place>) -> Names {
        let mut names = Names { suffix, names: BTreeMap::new(), groups: Vec::new(), far: BTreeMap::new() };
        for device in devices {
            let name = names.device(device);
            let members: Vec<u8> = device.addresses().collect();
            for (number, mac) in (1..).zip(&members) {
                let member = if device.count > 1 { format!("{name}-{number}") } else { name.clone() };
                names.names.insert(Place::here(*mac), member);
            }
            if device.count > 1 {
                names.groups.push((name, members));
            }
        }
        for place in places.filter(|place| place.far.is_some()) {
            let number = names.far.values().map(Vec::len).sum::<usize>() + 1;
            let name = format!("far{}-{number}", names.suffix);
            names.far.entry(place.mac).or_default().push(name.clone());
            names.names.insert(place, name);
        }
        names
    }

    /// The trunk.
    pub fn trunk(&self) -> String {
        format!("trunk{}", self.suffix)
    }

    /// The network behind a router.
    pub fn network(&self, router: u8) -> String {
        format!("network{}-{router}", self.suffix)
    }

    /// A station, or a group of them.
    pub fn device(&self, device: &Device) -> String {
        let kind = match (device.is_router, device.is_slave) {
            (true, _) => "router",
            (false, true) => "slave",
            (false, false) => "master",
        };
        let several = if device.count > 1 { "s" } else { "" };
        format!("{kind}{several}{}-{}", self.suffix, device.first)
    }

    /// Routers, and the stations behind each.
    pub fn far(&self) -> &BTreeMap<u8, Vec<String>> {
        &self.far
    }

    /// The name of a place.
    pub fn of(&self, place: &Place) -> Option<&String> {
        self.names.get(place)
    }

    /// Names of places, in their order; that of a group where all its members follow each other.
    pub fn all(&self, places: &[Place]) -> Vec<String> {
        let mut names = Vec::new();
        let mut rest = places;
        while let Some(first) = rest.first() {
            let whole = self.groups.iter().find(|(_, members)| {
                rest.len() >= members.len() && rest.iter().zip(members).all(|(place, mac)| *place == Place::here(*mac))
            });
            match whole {
                Some((name, members)) => {
                    names.push(name.clone());
                    rest = &rest[members.len()..];
                }
                None => {
                    names.extend(self.of(first).cloned());
                    rest = &rest[1..];
                }
            }
        }
        names
    }
}
