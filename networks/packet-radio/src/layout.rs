//! Media and the ports on them, which ports hear each other, and callsigns.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_protocols::ax25::wire::Address;
use sojourn_scenario::{Member, Problem, Problems, Scenario, Table};

use super::medium::{ChannelSettings, FadingSettings, FirstSlot, Framing, Hearing, Levels, Loading};
use super::port_settings::{Access, Hold, PortPlace, PortSettings};

/// Number of callsigns that can be generated: ST0001 to ST9999 and ST0000.
const MAX_CALLSIGNS: usize = 10_000;

/// A radio channel or a wire.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Its name.
    pub name: String,
    /// Whether it is a wire.
    pub is_wire: bool,
    /// Settings that its members share.
    pub settings: ChannelSettings,
    /// The ports on it, by member number.
    pub members: Vec<PortPlace>,
    /// Which members hear each other.
    pub hearing: Hearing,
    /// Signal levels of its members, where a difference of levels decides a collision.
    pub levels: Option<Levels>,
    /// How the paths between its members fade, if they do.
    pub fading: Option<FadingSettings>,
}

/// Media, ports and callsigns of all stations.
pub struct Layout {
    /// All media, by their index.
    pub media: Vec<Medium>,
    /// The ports of each station.
    pub ports: Vec<Vec<PortSettings>>,
    /// The callsign of each station.
    pub addresses: Vec<Address>,
    /// The addresses that each station shares with others.
    pub aliases: Vec<Vec<Address>>,
}

impl Layout {
    /// Resolves a scenario's media, ports and callsigns.
    pub fn new(scenario: &Scenario, members: &[Member<'_>], problems: &mut Problems) -> Layout {
        let addresses = addresses(scenario, members, problems);
        let aliases = aliases(scenario, members, &addresses, problems);
        let tables = scenario.list("medium");
        let mut media: Vec<Medium> = tables.iter().map(medium).collect();
        let mut ports = vec![Vec::new(); members.len()];
        for (station, member) in members.iter().enumerate() {
            for name in member.station.words("on") {
                let at = tables.iter().position(|table| table.name() == name).expect("a checked medium");
                let place = PortPlace { station: station as u32, port: ports[station].len() as u32 };
                let access = access(&tables[at], member.station);
                ports[station].push(PortSettings { medium: at as u32, member: media[at].members.len() as u32, access });
                media[at].members.push(place);
            }
        }
        for (medium, table) in media.iter_mut().zip(tables) {
            medium.hearing = hearing(scenario, members, &medium.members, medium.is_wire);
            let ratio = table.optional_number("capture_ratio").filter(|_| !medium.is_wire);
            medium.levels = ratio.map(|ratio| levels(scenario, members, &medium.members, ratio));
            if medium.is_wire && medium.members.len() != 2 {
                let message =
                    format!("a wire connects two stations, but `{}` has {}", medium.name, medium.members.len());
                let help = "use type = \"radio\" for a shared medium".to_owned();
                problems.push(scenario.problem(table, "type", message, Some(help)));
            }
        }
        Layout { media, ports, addresses, aliases }
    }

    /// The port on which two stations hear each other.
    pub fn port_to(&self, from: usize, to: usize) -> Option<u32> {
        let reaches = |port: &PortSettings| {
            let medium = &self.media[port.medium as usize];
            let there = self.ports[to].iter().find(|other| other.medium == port.medium);
            there.is_some_and(|there| {
                medium.hearing.hears(port.member, there.member) && medium.hearing.hears(there.member, port.member)
            })
        };
        (0..).zip(&self.ports[from]).find(|(_, port)| reaches(port)).map(|(number, _)| number)
    }

    /// Whether two stations share a medium, even if hidden from each other.
    pub fn share_a_medium(&self, one: usize, other: usize) -> bool {
        self.ports[one].iter().any(|port| self.ports[other].iter().any(|there| there.medium == port.medium))
    }
}

fn medium(table: &Table) -> Medium {
    let is_wire = table.word("type") == "wire";
    let on_air = |key: &str| table.optional_table(key).filter(|_| !is_wire);
    Medium {
        name: table.name().to_owned(),
        is_wire,
        settings: ChannelSettings {
            bit_rate: bit_rate(table),
            bit_error_rate: table.number("bit_error_rate"),
            capture: table.flag("capture"),
            framing: on_air("framing").map_or(Framing::Hdlc, |framing| match framing.word("kind") {
                "il2p" => Framing::Il2p { has_crc: framing.flag("crc") },
                _ => Framing::Fx25 { check: framing.integer("check") as u8 },
            }),
        },
        members: Vec::new(),
        hearing: Hearing::all(0),
        levels: None,
        fading: on_air("fading").map(|fading| FadingSettings {
            bit_error_rate: fading.number("bit_error_rate"),
            means: ["good", "bad"].map(|state| fading.duration(state)),
        }),
    }
}

/// Channel access parameters of a station: its own where set, else the medium's.
fn access(medium: &Table, station: &Table) -> Access {
    let span = |key: &str| station.optional_duration(key).unwrap_or_else(|| medium.duration(key));
    let hold = station.optional_table("dcd_hold").or_else(|| medium.optional_table("dcd_hold"));
    Access {
        txdelay: span("txdelay"),
        txtail: span("txtail"),
        dwait: span("dwait"),
        persistence: station.optional_number("persistence").unwrap_or_else(|| medium.number("persistence")),
        slottime: span("slottime").max(Duration::from_picoseconds(1)),
        first_slot: match station.optional_word("first_slot").or_else(|| medium.optional_word("first_slot")) {
            Some("after-slottime") => FirstSlot::AfterSlottime,
            _ => FirstSlot::AtOnce,
        },
        dcd_delay: medium.duration("dcd_delay"),
        dcd_hold: hold.map_or(Hold::Constant(Duration::ZERO), |hold| dcd_hold(hold, bit_rate(medium))),
        receiver_recovery: medium.duration("receiver_recovery"),
        full_duplex: medium.flag("full_duplex"),
        transmission_limit: medium.optional_duration("transmission_limit"),
        loading: match medium.word("frames_built") {
            "at-key-up" => Loading::AtKeyUp,
            _ => Loading::AfterTxdelay,
        },
        frame_error_rate: station.optional_number("frame_error_rate").unwrap_or(0.0),
    }
}

fn dcd_hold(hold: &Table, bit_rate: u64) -> Hold {
    match hold.word("kind") {
        "time" => Hold::Constant(hold.duration("time")),
        "bits" => Hold::Constant(Duration::from_units(hold.integer("bits"), bit_rate)),
        _ => Hold::Ones(hold.integer("run") as u32),
    }
}

fn bit_rate(medium: &Table) -> u64 {
    libm::round(medium.number("bit_rate")) as u64
}

fn hearing(scenario: &Scenario, members: &[Member<'_>], places: &[PortPlace], is_wire: bool) -> Hearing {
    let count = places.len() as u32;
    let mut hearing = if is_wire { Hearing::all(count) } else { Hearing::none(count) };
    for (listener, place) in (0..).zip(places).filter(|_| !is_wire) {
        let words = members[place.station as usize].station.words("hears");
        let all = words.contains(&"everyone");
        let heard: Vec<usize> = words.into_iter().flat_map(|name| scenario.resolve(name)).collect();
        for (sender, other) in (0..).zip(places) {
            if all || heard.contains(&(other.station as usize)) {
                hearing.allow(listener, sender);
            }
        }
    }
    hearing
}

/// The levels at which members receive each other: transmitted power less path loss.
fn levels(scenario: &Scenario, members: &[Member<'_>], places: &[PortPlace], ratio_decibels: f64) -> Levels {
    let millidecibels = |decibels: f64| libm::round(1000.0 * decibels) as i32;
    let count = places.len() as u32;
    let mut levels = Levels::equal(count, millidecibels(ratio_decibels));
    let power =
        |place: &PortPlace| members[place.station as usize].station.optional_number("transmit_power").unwrap_or(0.0);
    for (sender, place) in (0..).zip(places) {
        (0..count).for_each(|listener| levels.set(listener, sender, millidecibels(power(place))));
    }
    // a checked list names two
    for table in scenario.list("path_loss") {
        let on_medium = |name: &str| {
            let stations = scenario.resolve(name);
            let is_member = move |(_, place): &(u32, &PortPlace)| stations.contains(&(place.station as usize));
            (0..).zip(places).filter(is_member).collect::<Vec<_>>()
        };
        let ends: Vec<_> = table.words("between").into_iter().map(on_medium).collect();
        let pairs = ends[0].iter().flat_map(|one| ends[1].iter().map(move |other| (one, other)));
        for ((one, sender), (other, receiver)) in pairs.filter(|(one, other)| one.0 != other.0) {
            levels.set(*other, *one, millidecibels(power(sender) - table.number("loss")));
            levels.set(*one, *other, millidecibels(power(receiver) - table.number("loss")));
        }
    }
    levels
}

/// The callsign of each station; each must be unique.
fn addresses(scenario: &Scenario, members: &[Member<'_>], problems: &mut Problems) -> Vec<Address> {
    let mut first: BTreeMap<Address, String> = BTreeMap::new();
    let mut addresses = Vec::new();
    for (place, member) in members.iter().enumerate() {
        let address = match address(scenario, member, place) {
            Ok(address) => address,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        if let Some(earlier) = first.insert(address, member.name.clone()) {
            let message = format!("`{}` and `{earlier}` have the callsign {address}", member.name);
            let help = match member.station.count() {
                1 => "callsign and SSID must be unique".to_owned(),
                _ => "leave it out, and each member gets its own".to_owned(),
            };
            problems.push(scenario.problem(member.station, "callsign", message, Some(help)));
            break;
        }
        addresses.push(address);
    }
    addresses
}

/// The aliases of each station; none may be the callsign of a station.
fn aliases(
    scenario: &Scenario,
    members: &[Member<'_>],
    addresses: &[Address],
    problems: &mut Problems,
) -> Vec<Vec<Address>> {
    let mut of_member = |member: &Member<'_>| {
        let mut found = Vec::new();
        for text in member.station.words("aliases") {
            let problem = match text.parse::<Address>() {
                Ok(alias) if !addresses.contains(&alias) => {
                    found.push(alias);
                    continue;
                }
                Ok(alias) => format!("{alias} is the callsign of a station, and not an alias"),
                Err(error) => error.to_string(),
            };
            let help = "an alias is one to six letters and digits, and with a hyphen an SSID of 0 to 15: WIDE1-1";
            problems.push(scenario.problem(member.station, "aliases", problem, Some(help.to_owned())));
        }
        found
    };
    members.iter().map(&mut of_member).collect()
}

fn address(scenario: &Scenario, member: &Member<'_>, place: usize) -> Result<Address, Problem> {
    let Some(text) = member.station.optional_word("callsign") else {
        return Address::new(&format!("ST{:04}", place + 1), 0).map_err(|_| {
            let message = format!("callsigns can be generated for at most {MAX_CALLSIGNS} stations");
            scenario.problem(member.station, "count", message, None)
        });
    };
    text.parse().map_err(|error: sojourn_protocols::ax25::wire::AddressError| {
        let help = "a callsign is one to six letters and digits, and with a hyphen an SSID of 0 to 15: NJ7P-4";
        scenario.problem(member.station, "callsign", error.to_string(), Some(help.to_owned()))
    })
}
