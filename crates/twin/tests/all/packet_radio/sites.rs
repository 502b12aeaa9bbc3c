//! Random sites: two terminals that exchange blocks directly, through digipeaters, NET/ROM nodes or ROSE switches.

use std::fmt::Write;

use sojourn_core::random::Stream;

use crate::simulated::pick;

/// What is between the terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    Direct,
    Digipeated,
    NetRom,
    Rose,
}

impl Service {
    /// All, in turn.
    pub const ALL: [Service; 4] = [Service::Direct, Service::Digipeated, Service::NetRom, Service::Rose];

    /// Whether the terminals are on media of their own.
    fn has_media(self) -> bool {
        matches!(self, Service::NetRom | Service::Rose)
    }
}

/// Values of a site that tests choose by what they compare.
pub struct Plan {
    pub round_trips: u32,
    pub pause: &'static str,
    pub warm_up: &'static str,
    pub duration: &'static str,
    /// Keys of terminals beside those that are drawn.
    pub terminal: String,
    pub persistence: &'static [&'static str],
    pub slot_times: &'static [&'static str],
    pub bit_error_rates: &'static [&'static str],
    pub sizes: &'static [&'static str],
    /// Whether other stations send as well.
    pub has_background: bool,
}

/// A random site of a service.
pub fn random_site(draws: &mut Stream, service: Service, plan: &Plan) -> String {
    let relays = match service {
        Service::Direct => 0,
        Service::Digipeated => 1 + draws.below(2),
        Service::NetRom | Service::Rose => 2 + draws.below(2),
    };
    let mut site = "[network]\nkind = \"packet-radio\"\n".to_owned();
    let media = if service.has_media() { relays + 1 } else { 1 };
    let rates: &[&str] = if service == Service::Direct {
        &["1200 bit/s", "9600 bit/s"]
    } else {
        &["1200 bit/s", "4800 bit/s", "9600 bit/s"]
    };
    for medium in 0..media {
        medium_table(&mut site, draws, medium, rates, plan);
    }
    let paclen = pick(draws, &["64 B", "128 B", "256 B"]).to_owned();
    let window = pick(draws, &["1", "2", "4"]).to_owned();
    let frack = pick(draws, &["3 s", "5 s", "8 s"]).to_owned();
    let version = pick(draws, &["v2.0", "v2.2"]).to_owned();
    let reject = pick(draws, &["go-back", "selective", "multi-selective"]).to_owned();
    let mut terminal = |name: &str, medium: u32, hears: &str| {
        let upper = name.to_uppercase();
        let _ = write!(
            site,
            "[[station]]\nname = \"{name}\"\ncallsign = \"{upper}-1\"\non = [\"m{medium}\"]\n{hears}paclen = \"{paclen}\"\n\
             window = {window}\nfrack = \"{frack}\"\nversion = \"{version}\"\nreject = \"{reject}\"\n{}",
            plan.terminal,
        );
    };
    let hears = |names: &[String]| match service {
        Service::Digipeated => {
            format!("hears = [{}]\n", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
        }
        _ => String::new(),
    };
    let relay = |number: u32| format!("relay-{number}");
    terminal("ping", 0, &hears(&[relay(1)]));
    terminal("pong", media - 1, &hears(&[relay(relays)]));
    let (mut path, ack_delay) = (Vec::new(), pick(draws, &["1 s", "2 s"]).to_owned());
    let circuit_window = pick(draws, &["2", "4"]).to_owned();
    for number in 1..=relays {
        let name = relay(number);
        path.push(format!("\"{name}\""));
        let before = if number == 1 { "ping".to_owned() } else { relay(number - 1) };
        let after = if number == relays { "pong".to_owned() } else { relay(number + 1) };
        let _ = match service {
            Service::Direct => Ok(()),
            Service::Digipeated => write!(
                site,
                "[[station]]\nname = \"{name}\"\ntype = \"digipeater\"\ncallsign = \"RELAY-{number}\"\n{}",
                hears(&[before, after]),
            ),
            Service::NetRom => write!(
                site,
                "[[station]]\nname = \"{name}\"\ntype = \"node\"\ncallsign = \"RELAY-{number}\"\non = [\"m{}\", \"m{number}\"]\n\
                 frack = \"{frack}\"\nnetrom = {{ alias = \"NODE{number}\", radio_quality = 255, nodes_interval = \"0 s\", \
                 window = {circuit_window}, ack_delay = \"{ack_delay}\" }}\n",
                number - 1,
            ),
            Service::Rose => write!(
                site,
                "[[station]]\nname = \"{name}\"\ntype = \"switch\"\ncallsign = \"RELAY-{number}\"\non = [\"m{}\", \"m{number}\"]\n\
                 frack = \"{frack}\"\nrose = {{ address = \"330078700{number}\" }}\n",
                number - 1,
            ),
        };
    }
    if service.has_media() {
        path = vec![path[0].clone(), path[path.len() - 1].clone()];
    }
    if plan.has_background {
        background(&mut site, draws, media, service);
    }
    let path = if path.is_empty() { String::new() } else { format!("path = [{}]\n", path.join(", ")) };
    let _ = write!(
        site,
        "[probe]\nfrom = \"ping\"\nto = \"pong\"\nsize = \"{}\"\nround_trips = {}\npause = \"{}\"\n{path}\
         [run]\nduration = \"{}\"\nwarm_up = \"{}\"\n",
        pick(draws, plan.sizes),
        plan.round_trips,
        plan.pause,
        plan.duration,
        plan.warm_up,
    );
    site
}

fn medium_table(site: &mut String, draws: &mut Stream, number: u32, rates: &[&str], plan: &Plan) {
    let _ = write!(
        site,
        "[[medium]]\nname = \"m{number}\"\nbit_rate = \"{}\"\ntxdelay = \"{}\"\npersistence = \"{}\"\nslottime = \"{}\"\n\
         bit_error_rate = {}\n",
        pick(draws, rates),
        pick(draws, &["100 ms", "200 ms", "300 ms"]),
        pick(draws, plan.persistence),
        pick(draws, plan.slot_times),
        pick(draws, plan.bit_error_rates),
    );
}

/// Two stations on the first medium that send beacons, and two with a one-way link.
fn background(site: &mut String, draws: &mut Stream, media: u32, service: Service) {
    let hears = if service == Service::Digipeated { "hears = [\"ping\", \"relay-1\"]\n" } else { "" };
    let interval = pick(draws, &["60 s", "120 s", "300 s"]);
    let _ = write!(
        site,
        "[[station]]\nname = \"beacon\"\ncallsign = \"BEACON-9\"\non = [\"m0\"]\n{hears}\
         [[flow]]\nname = \"beacons\"\nfrom = \"beacon\"\nto = \"broadcast\"\ndata = \"60 B\"\n\
         arrivals = {{ kind = \"periodic\", interval = \"{interval}\" }}\n\
         [[station]]\nname = \"writer\"\ncallsign = \"WRITER\"\non = [\"m{last}\"]\n{hears_writer}\
         [[station]]\nname = \"reader\"\ncallsign = \"READER\"\non = [\"m{last}\"]\n{hears_reader}\
         [[flow]]\nname = \"mail\"\nfrom = \"writer\"\nto = \"reader\"\nservice = \"connected\"\ndata = \"80 B\"\n\
         arrivals = {{ kind = \"poisson\", interval = \"90 s\" }}\n",
        last = media - 1,
        hears_writer = if service == Service::Digipeated { "hears = [\"reader\", \"relay-1\"]\n" } else { "" },
        hears_reader = if service == Service::Digipeated { "hears = [\"writer\", \"relay-1\"]\n" } else { "" },
    );
}
