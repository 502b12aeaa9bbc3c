//! Every kind of `arrivals` with every service of every network: 2 s of simulated time end, in memory that does not grow with the
//! number of messages that a source has sent. A program of its own, because it watches the memory of its process.

#![expect(clippy::disallowed_methods, reason = "it watches how long a model takes and how much memory, from outside")]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration as Real, Instant};

use sojourn_catalogue::NETWORKS;
use sojourn_core::Duration;
use sojourn_model::Replication;
use sojourn_scenario::check;
use sojourn_scenario::keys::{Kind, Preset, Variant};

/// Memory of the process that no case needs, in pages of 4 KiB: 512 MiB.
const PAGES: u64 = 512 << 8;
/// Real time that no case takes, on a busy machine.
const LIMIT: Real = Real::from_secs(60);
/// When the case that runs has begun.
static BEGUN: Mutex<Option<Instant>> = Mutex::new(None);
/// Set where a case takes more.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Two stations on a medium and a flow, with `SERVICE` and `ARRIVALS` in their places.
const CASES: &[(&str, &[&str], &str)] = &[
    (
        "queue",
        &[""],
        "[[station]]\nname = \"desk\"\nservice = { kind = \"exponential\", mean = \"1 ms\" }\n\
         [[flow]]\nname = \"f\"\npath = \"desk\"\nARRIVALS",
    ),
    (
        "fddi",
        &["transport = \"datagram\"", "transport = \"xtp\"", "transport = \"datagram\"\nclass = \"asynchronous\""],
        "[[station]]\nname = \"s\"\ncount = 3\n\
         [[flow]]\nname = \"f\"\nfrom = [\"s-2\", \"s-3\"]\nto = \"s-1\"\ntraffic = \"messages\"\nSERVICE\nARRIVALS",
    ),
    (
        "packet-radio",
        &["service = \"unnumbered\"", "service = \"connected\"", "service = \"session\""],
        "[[station]]\nname = \"s\"\ncount = 2\n[[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nSERVICE\nARRIVALS",
    ),
    (
        "lontalk",
        &[
            "service = \"unacknowledged\"",
            "service = \"unacknowledged-repeated\"",
            "service = \"acknowledged\"",
            "service = \"request\"",
            "service = \"authenticated\"",
            "service = \"acknowledged\"\ngenerator = \"open\"",
        ],
        "[[station]]\nname = \"s\"\ncount = 2\n[[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nSERVICE\nARRIVALS",
    ),
    (
        "mstp",
        &[
            "service = \"read\"",
            "service = \"read-multiple\"\noutstanding = 5",
            "service = \"write\"",
            "service = \"cov\"",
            "service = \"cov-confirmed\"",
        ],
        "[[station]]\nname = \"s\"\ncount = 2\n[[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nSERVICE\nARRIVALS",
    ),
    (
        "ip",
        &["service = \"stream\""],
        "[[medium]]\nname = \"m\"\n[[station]]\nname = \"s\"\ncount = 2\n\
         [[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nSERVICE\nARRIVALS",
    ),
    (
        "switched-lan",
        &["service = \"stream\""],
        "[[medium]]\nname = \"m\"\n[[station]]\nname = \"s\"\ncount = 2\n\
         [[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nSERVICE\nARRIVALS",
    ),
];

#[test]
fn two_seconds_of_any_arrivals_over_any_service_end_in_bounded_memory() {
    // it ends with the process
    std::thread::spawn(|| {
        loop {
            let late = BEGUN.lock().unwrap().is_some_and(|begun| begun.elapsed() > LIMIT);
            if late || resident() > PAGES {
                CANCELLED.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(Real::from_millis(5));
        }
    });
    let found = failures();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Files that are not scenarios, and scenarios that do not end.
fn failures() -> Vec<String> {
    let (mut failures, mut ran) = (Vec::new(), 0);
    for (kind, services, text) in CASES {
        for arrivals in kinds_of_arrivals(kind) {
            for service in *services {
                *BEGUN.lock().unwrap() = Some(Instant::now());
                let text = text.replace("SERVICE", service).replace("ARRIVALS", &arrivals);
                match ends(&format!("[network]\nkind = \"{kind}\"\n{text}\n")) {
                    Ok(()) => ran += 1,
                    Err(why) => failures.push(format!("{kind}, {service}, {arrivals}: {why}")),
                }
            }
        }
    }
    // ten kinds of FDDI, packet radio and the queue, nine of datagrams, thirteen of LonTalk and MS/TP
    assert!(ran + failures.len() >= 10 * (3 + 3 + 1) + 9 * 2 + 13 * (6 + 5), "{ran}");
    failures
}

fn ends(text: &str) -> Result<(), String> {
    let files = [("trace.csv", "time,from,to,size\n0.5,s-1,s-2,1\n0.6,s-1,s-2,8\n")];
    let files: BTreeMap<String, String> = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let document = NETWORKS.kinds().parse_with("case", text, files).map_err(|problems| problems.to_string())?;
    let scenario = check(&document).map_err(|problems| problems.to_string())?;
    let network = NETWORKS.find(document.kind()).expect("it is simulated");
    let model = network.model(&scenario).map_err(|problems| problems.to_string())?;
    CANCELLED.store(false, Ordering::Relaxed);
    model.replicate(Replication { cancelled: &CANCELLED, ..Replication::alone(Duration::from_secs(2)) });
    match CANCELLED.load(Ordering::Relaxed) {
        false => Ok(()),
        true => Err(format!("it did not end, or took memory: {} MiB", resident() >> 8)),
    }
}

/// `arrivals = { ... }` of each kind that flows of a network take, with a value for each key that must be written.
fn kinds_of_arrivals(kind: &str) -> Vec<String> {
    let flow = NETWORKS.kinds().find(kind).expect("it is declared").table("flow").expect("it has flows");
    let Kind::Variants(variants) = flow.find("arrivals").expect("they have arrivals").kind else {
        panic!("arrivals are of several kinds")
    };
    variants.iter().map(|variant| format!("arrivals = {{ {} }}", written(variant))).collect()
}

fn written(variant: &Variant) -> String {
    let keys = variant.keys.iter().flat_map(|list| list.iter());
    let required = keys.filter(|key| matches!(key.preset, Preset::Required));
    let mut pairs: Vec<String> = required
        .map(|key| {
            let value = match key.name {
                "deviation" => "\"3 ms\"",
                "shape" => "0.5",
                "size" | "population" => "5",
                "file" => "\"trace.csv\"",
                "interval" | "on" | "off" | "max_interval" => "\"10 ms\"",
                other => panic!("`{other}` has no value here"),
            };
            format!("{} = {value}", key.name)
        })
        .collect();
    if variant.word == "poll" {
        pairs.push("cycle = \"10 ms\"".to_owned());
    }
    if variant.word == "empirical" {
        pairs.push("values = [\"1 ms\", \"5 ms\", \"24 ms\"]".to_owned());
    }
    pairs.insert(0, format!("kind = \"{}\"", variant.word));
    pairs.join(", ")
}

/// Pages of memory that the process has.
fn resident() -> u64 {
    let counts = std::fs::read_to_string("/proc/self/statm").expect("this is Linux");
    counts.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).expect("the second is the resident set")
}
