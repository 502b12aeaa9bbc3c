//! Converts a checked scenario to a site.

use std::sync::Arc;

use crate::keys::ip852::CHANNEL;
use sojourn_core::Duration;
use sojourn_protocols::lontalk::machine::TimerStart;
use sojourn_protocols::lontalk::timer::{ReceiveTimer, TransactionTimer};
use sojourn_protocols::lontalk::wire::Domain;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::channel::{Channel, CollisionAbort, STANDARD};
use super::costs::Costs;
use super::installation::InstallationError;
use super::ip852;
use super::medium::BacklogRule;
use super::routes::Loop;
use super::site::{
    Buffers, FlowSettings, Generator, MediumSettings, MessageKind, Role, ServiceKind, Site, Start, StationClass,
    StationSettings, Target,
};
use sojourn_model::effect::timeline;
use sojourn_model::laws::RandomTime;
use sojourn_model::traffic::Arrivals;

/// The site a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let network = scenario.table("network");
    let media: Vec<MediumSettings> = scenario.list("medium").iter().map(medium).collect();
    let index_of = |name: &str| media.iter().position(|medium| medium.name == name).expect("a checked medium") as u16;
    let stations = stations(scenario, index_of);
    let mut problems = Problems::new();
    let mut flows = Vec::new();
    for table in scenario.list("flow") {
        match flow(scenario, table) {
            Ok(flow) => flows.push(flow),
            Err(problem) => problems.push(problem),
        }
    }
    let domain = domain(scenario, &mut problems);
    settings(scenario, &mut problems);
    problems.or(Site {
        media,
        stations,
        flows,
        domain,
        timer_scale: network.number("transaction_timer_scale"),
        timer_starts: match network.word("transaction_timer_starts") {
            "hand-off" => TimerStart::HandOff,
            _ => TimerStart::AfterTransmission,
        },
        withdraw: network.flag("withdraw_answered_copies"),
        timeline: timeline(scenario),
    })
}

/// The problem of a site, at its place in the scenario.
pub fn explain(scenario: &Scenario, error: &InstallationError) -> Problems {
    let flow = |name: &str| scenario.list("flow").iter().find(|table| table.name() == name);
    let at_flow = |name: &str, key: &str, message: String, help: &str| match flow(name) {
        Some(table) => scenario.problem(table, key, message, Some(help.into())),
        None => Problem::plain(message).help(help),
    };
    let problem = match error {
        InstallationError::Subnets => Problem::plain("the stations need more than the 255 subnets of a domain")
            .help("a subnet has up to 127 nodes, all on one medium"),
        InstallationError::Groups => Problem::plain("the flows need more than the 256 groups of a domain")
            .help("flows to the same stations share a group; addressing = \"unicast\" needs none"),
        InstallationError::GroupSize(name, size) => at_flow(
            name,
            "to",
            format!("{size} members exceed the maximum of an acknowledged group"),
            "acknowledged and request service allow 64 members; unacknowledged-repeated has no limit",
        ),
        InstallationError::Loop(found) => routers_in_loop(scenario, found),
        InstallationError::Unreachable(name, station) => at_flow(
            name,
            "to",
            format!("no route to {station}"),
            "add a station with router = \"configured\" on both media",
        ),
    };
    problem.into()
}

/// Routers whose packets would come back, at the one that is declared last.
fn routers_in_loop(scenario: &Scenario, found: &Loop) -> Problem {
    let (media, members) = (scenario.list("medium"), scenario.members());
    let path = found.media.iter().zip(&found.routers);
    let path: Vec<String> =
        path.map(|(&medium, &router)| format!("{} - {}", media[medium].name(), members[router].name)).collect();
    let message = format!("routers form a loop: {} - {}", path.join(" - "), media[found.media[0]].name());
    let unlearned = found
        .routers
        .iter()
        .map(|&router| &members[router])
        .find(|member| !member.station.word_is("router", "configured"));
    let help = match unlearned {
        Some(member) => format!(
            "`{}`, a {}, would forward packets that have come round: connect media as a tree, or join the same media by routers that are all \"configured\"",
            member.name,
            if member.station.word_is("router", "learning") { "learning router" } else { member.station.word("router") },
        ),
        None => "packets would circulate: connect media as a tree; configured routers are redundant where they are on the same media".to_owned(),
    };
    let last = found.routers.iter().max().map(|&router| members[router].station);
    let place = last.and_then(|station| station.place_of("router"));
    Problem::at(place, message).help(help)
}

/// Adds a problem for each key that an event changes of a medium that does not have it.
fn settings(scenario: &Scenario, problems: &mut Problems) {
    for setting in scenario.events().iter().flat_map(|event| &event.settings) {
        let key = setting.keys.0.name;
        let of = scenario.list("medium").iter().enumerate().filter(|(at, _)| setting.member.is_none_or(|m| m == *at));
        for (_, medium) in of.filter(|(_, medium)| is_ip(medium) == (key == "bit_error_rate")) {
            let message = format!("`{}` has no `{key}`: it is of type {}", medium.name(), medium.word("channel"));
            problems.push(Problem::at(setting.place.clone(), message));
        }
    }
}

fn domain(scenario: &Scenario, problems: &mut Problems) -> Domain {
    let media = scenario.list("medium");
    let length = media[0].integer("domain_length");
    for medium in media {
        if medium.integer("domain_length") != length {
            let message = "all media of a site must be in one domain";
            let help = format!("{} has {length} B", media[0].name());
            problems.push(scenario.problem(medium, "domain_length", message, Some(help)));
        }
    }
    let id = [0x51, 0x0a, 0x2b, 0x4c, 0x6d, 0x7e];
    Domain::new(&id[..length as usize]).expect("0, 1, 3 or 6 bytes")
}

/// Whether a medium is a channel over an IP network.
fn is_ip(medium: &Table) -> bool {
    medium.word_is("channel", CHANNEL)
}

/// A channel over an IP network has no medium access: its parameters of one are those of any channel, and not used.
fn ip_medium(table: &Table) -> MediumSettings {
    let ip = ip852::Settings {
        access_rate: libm::round(table.number("access_rate")) as u64,
        framing: table.number("framing_overhead") as u64,
        path: ip852::Path {
            delay: table.duration("delay"),
            jitter: RandomTime::up_to(table, "jitter"),
            loss: table.number("loss"),
        },
        reordering: table.flag("reordering"),
        escrow: table.duration("escrow_time"),
        timeout: table.optional_duration("channel_timeout"),
    };
    let (channel, backlog_rule) = (Channel::of(&STANDARD[0]), BacklogRule::PerStation);
    MediumSettings { name: table.name().into(), channel, backlog_rule, ip: Some(ip) }
}

fn medium(table: &Table) -> MediumSettings {
    if is_ip(table) {
        return ip_medium(table);
    }
    let small = |key: &str| u8::try_from(table.integer(key)).expect("a declared range");
    let count = |key: &str| u32::try_from(table.integer(key)).expect("a declared range");
    let channel = Channel {
        millibits_per_second: libm::round(table.number("bit_rate") * 1000.0) as u64,
        preamble_millibits: libm::round(table.number("preamble") * 1000.0) as u64,
        beta1: table.duration("beta1"),
        beta2: table.duration("beta2"),
        idle_timer: table.duration("packet_cycle"),
        priority_slots: count("priority_slots"),
        carrier_sense_latency: table.duration("carrier_sense_latency"),
        backlog_cap: small("backlog_cap"),
        backlog_start: small("backlog_start"),
        base_window: count("base_window"),
        late_priority_upgrade: table.flag("late_priority_upgrade"),
        priority_needs_crc: table.flag("priority_needs_crc"),
        post_transmission_pause: count("post_transmission_pause"),
        collision_limit: small("collision_limit"),
        collision_abort: match table.word("collision_abort") {
            "never" => CollisionAbort::Never,
            "end-of-preamble" => CollisionAbort::EndOfPreamble,
            _ => CollisionAbort::Immediate,
        },
        capture: table.flag("capture"),
        skew: table.duration("skew"),
        bit_error_rate: table.number("bit_error_rate"),
    };
    let backlog_rule = match table.word("backlog_estimate") {
        "shared" => BacklogRule::Consistent,
        _ => BacklogRule::PerStation,
    };
    MediumSettings { name: table.name().into(), channel, backlog_rule, ip: None }
}

/// Stations of one `[[station]]` share a class.
fn stations(scenario: &Scenario, index_of: impl Fn(&str) -> u16) -> Vec<StationSettings> {
    let mut classes: Vec<(*const Table, Arc<StationClass>)> = Vec::new();
    let members = scenario.members();
    let stations = members.iter().map(|member| {
        let table: *const Table = member.station;
        if classes.last().is_none_or(|(last, _)| *last != table) {
            classes.push((table, Arc::new(class(member.station, &index_of))));
        }
        let class = Arc::clone(&classes.last().expect("just made").1);
        let number = if *class.name == *member.name { 0 } else { member.number as u32 };
        StationSettings { class, number }
    });
    stations.collect()
}

fn class(table: &Table, index_of: impl Fn(&str) -> u16) -> StationClass {
    let costs = table.table("costs");
    StationClass {
        name: table.name().into(),
        on: table.words("on").into_iter().map(index_of).collect(),
        costs: node_costs(costs).at_clock(table.number("input_clock")),
        application_jitter: costs.number("application_jitter"),
        receive_timer: receive_timer(table.duration("receive_timer")),
        priority_slot: table.integer("priority_slot") as u8,
        collision_detection: table.flag("collision_detection"),
        buffers: buffers(table.table("buffers")),
        receive_records: table.integer("receive_records") as u16,
        role: match table.word("router") {
            "configured" => Role::Router,
            "learning" => Role::Learning,
            // all stations are of one domain, to which a bridge confines itself
            "repeater" | "bridge" => Role::Repeater,
            _ => Role::Node,
        },
    }
}

fn node_costs(table: &Table) -> Costs {
    Costs {
        send_call: table.duration("send_call"),
        application_copy: table.duration("application_copy_per_byte"),
        form: table.duration("form_packet"),
        form_copy: table.duration("form_packet_per_byte"),
        transmit_record: table.duration("open_transaction"),
        receive: table.duration("deliver"),
        receive_copy: table.duration("deliver_per_byte"),
        receive_record: table.duration("open_receive_record"),
        acknowledge: table.duration("form_acknowledgement"),
        complete: table.duration("complete_transaction"),
        authentication_pass: table.duration("authentication_pass"),
        discard: table.duration("discard"),
        notice: table.duration("application_latency"),
        variable_event: table.duration("network_variable_event"),
        route: table.duration("forward"),
        route_copy: table.duration("forward_per_byte"),
    }
}

fn buffers(table: &Table) -> Buffers {
    let count = |key: &str| table.integer(key) as u16;
    Buffers {
        application_input: count("application_input"),
        application_output: count("application_output"),
        application_output_priority: count("application_output_priority"),
        network_input: count("network_input"),
        network_output: count("network_output"),
        network_output_priority: count("network_output_priority"),
        network_output_answers: count("network_output_answers"),
    }
}

fn flow(scenario: &Scenario, table: &Table) -> Result<FlowSettings, Problem> {
    let service = match table.word("service") {
        "unacknowledged" => ServiceKind::Unacknowledged,
        "unacknowledged-repeated" => ServiceKind::Repeated,
        "request" => ServiceKind::Request,
        _ => ServiceKind::Acknowledged,
    };
    let (retries, timer) = match service {
        ServiceKind::Repeated => ("repeats", "repeat_timer"),
        _ => ("retries", "transaction_timer"),
    };
    let pace = table.table("arrivals");
    let senders: Vec<usize> = table.words("from").iter().flat_map(|name| scenario.resolve(name)).collect();
    let arrivals = Arrivals::of(scenario, table, 0..=228)?;
    let (from, to) = ends(scenario, table, senders, &arrivals);
    Ok(FlowSettings {
        name: table.name().into(),
        from,
        to,
        message: match table.word("message") {
            "network-variable" => MessageKind::NetworkVariable,
            "explicit" => MessageKind::Explicit,
            _ => MessageKind::ExplicitWithoutCopy,
        },
        service,
        authenticated: table.flag("authenticated") || table.word("service") == "authenticated",
        priority: table.flag("priority"),
        data: table.number("data") as u16,
        response_data: table.number("response_data") as u16,
        retries: table.integer(retries) as u8,
        timer: TransactionTimer::from_duration(table.duration(timer)).expect("a checked code"),
        receive_timer: table.optional_duration("receive_timer").map(receive_timer),
        arrivals,
        generator: match table.word("generator") {
            "closed" => Generator::Closed,
            "queued" => Generator::Queued,
            "buffered" => Generator::Buffered,
            _ => Generator::Open,
        },
        probe: table.flag("probe"),
        start: if pace.optional_word("start") == Some("at-once") { Start::Together } else { Start::Spread },
        delay: pace.optional_duration("delay").unwrap_or(Duration::ZERO),
        broadcast_backlog: table.integer("broadcast_backlog") as u8,
    })
}

fn receive_timer(span: Duration) -> ReceiveTimer {
    ReceiveTimer::from_duration(span).expect("a checked code")
}

/// Senders and receivers of a flow: a sender is listed once per message that it sends at a time.
fn ends(scenario: &Scenario, table: &Table, senders: Vec<usize>, arrivals: &Arrivals) -> (Vec<usize>, Target) {
    let names = table.words("to");
    let addressing = table.word("addressing");
    let receivers: Vec<Vec<usize>> = senders.iter().map(|&sender| scenario.receivers(table, sender)).collect();
    let alone = receivers.iter().all(|receivers| receivers.len() == 1);
    let firsts = || receivers.iter().map(|receivers| receivers[0]).collect();
    if matches!(arrivals, Arrivals::Poll { .. }) {
        let points = receivers.into_iter().next().unwrap_or_default();
        return (senders, Target::Polled(points));
    }
    match addressing {
        "broadcast" => (senders, Target::Broadcast),
        "automatic" if names.contains(&"everyone") => (senders, Target::Broadcast),
        "group" if names.contains(&"partner") => {
            let partners = firsts();
            (senders, Target::GroupOfTwo(partners))
        }
        "group" => (senders, Target::Group(group(scenario, &names))),
        "automatic" if !alone => (senders, Target::Group(group(scenario, &names))),
        "unique-id" => each_pair(senders, &receivers, Target::UniqueId),
        _ => each_pair(senders, &receivers, Target::Each),
    }
}

/// One sender for each pair of sender and receiver.
fn each_pair(
    senders: Vec<usize>,
    receivers: &[Vec<usize>],
    target: impl Fn(Vec<usize>) -> Target,
) -> (Vec<usize>, Target) {
    let pairs = senders.into_iter().zip(receivers);
    let pairs = pairs.flat_map(|(sender, receivers)| receivers.iter().map(move |&receiver| (sender, receiver)));
    let (from, to) = pairs.unzip();
    (from, target(to))
}

/// All stations of a list of names; a sender among them is a member of the group.
fn group(scenario: &Scenario, names: &[&str]) -> Vec<usize> {
    let everyone = names.contains(&"everyone");
    if everyone {
        (0..scenario.members().len()).collect()
    } else {
        names.iter().flat_map(|name| scenario.resolve(name)).collect()
    }
}
