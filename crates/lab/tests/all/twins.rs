//! A twin reproduces its original: random LonTalk sites are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.

use sojourn_capture::lontalk::LonTalkTracker;
use sojourn_capture::twin::{Options, Survey, Twin};
use sojourn_capture::{Event, LinkType, Packet, Sink, Tracker};
use sojourn_core::random::Stream;
use sojourn_core::{Streams, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_networks::Replication;
use sojourn_scenario::{Document, check};

/// Sites of the nightly test, and those of them that may miss the bounds.
const MANY: u32 = 20;
const MISSES: usize = 2;
/// Differences of the percentiles of original and twin.
const P50: f64 = 0.05;
const P99: f64 = 0.15;

/// Follows the packets of a replication as they are captured.
struct Analysis {
    tracker: LonTalkTracker,
    survey: Survey,
    out: Sink,
    number: u64,
}

impl FrameSink for Analysis {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.number += 1;
        let packet = Packet::whole(self.number, at, LinkType::RAW_IP, bytes);
        self.tracker.packet(&packet, &mut self.out);
        self.survey.packet(&packet);
    }
}

/// What a capture of one replication shows: its twin, and the response times of all transactions, ascending, s.
struct Captured {
    twin: Twin,
    responses: Vec<f64>,
}

fn captured(text: &str, seed: u64) -> Captured {
    let render = |problems: sojourn_scenario::Problems| -> ! { panic!("{text}\n{}", problems.render(false, 100)) };
    let document = Document::parse("site.toml", text).unwrap_or_else(|problems| render(problems));
    let scenario = check(&document).unwrap_or_else(|problems| render(problems));
    let network = sojourn_networks::find(scenario.kind).expect("a registered network");
    let model = network.model(&scenario).unwrap_or_else(|problems| render(problems));
    let mut analysis =
        Analysis { tracker: LonTalkTracker::default(), survey: Survey::default(), out: Sink::with_log(), number: 0 };
    let duration = scenario.run().duration;
    model.replicate(Replication { seed, capture: Some(&mut analysis), ..Replication::alone(duration) });
    let Analysis { mut tracker, survey, mut out, .. } = analysis;
    tracker.finish(Time::ZERO + duration, &mut out);
    let response = |event: &Event| match event {
        Event::Transaction(found) => found.end.map(|end| end.since(found.begin).seconds()),
        _ => None,
    };
    let mut responses: Vec<f64> = out.log().iter().filter_map(response).collect();
    responses.sort_by(f64::total_cmp);
    let options = Options { anonymise: false, name: "twin".to_owned(), bit_rate: None };
    Captured { twin: survey.twin(&options).expect("a LonTalk capture"), responses }
}

/// A site of one to three floors on a backbone, with devices that send on change, command a controller and are polled.
fn random_site(draws: &mut Stream) -> String {
    let mut pick = |choices: &[&str]| choices[draws.below(choices.len() as u32) as usize].to_owned();
    let floors: u32 = pick(&["1", "2", "3"]).parse().expect("a number");
    let backbone = pick(&["TP/XF-1250", "TP/FT-10"]);
    let mut site = format!(
        "[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"backbone\"\nchannel = \"{backbone}\"\n\
         [[station]]\nname = \"supervisor\"\non = [\"backbone\"]\ninput_clock = \"40 MHz\"\nreceive_records = 255\n\
         buffers = {{ application_input = 31, network_input = 31 }}\n"
    );
    let (mut devices, mut flows) = (Vec::new(), String::new());
    for floor in 1..=floors {
        let count: u32 = pick(&["5", "12", "25"]).parse().expect("a number");
        let (device_clock, controller_clock) = (pick(&["10 MHz", "20 MHz"]), pick(&["10 MHz", "40 MHz"]));
        site.push_str(&format!(
            "[[medium]]\nname = \"floor-{floor}\"\n\
             [[station]]\nname = \"router-{floor}\"\non = [\"floor-{floor}\", \"backbone\"]\nrouter = \"configured\"\n\
             input_clock = \"40 MHz\"\nbuffers = {{ network_input = 31, network_output = 31 }}\n\
             [[station]]\nname = \"controller-{floor}\"\non = [\"floor-{floor}\"]\ninput_clock = \"{controller_clock}\"\n\
             receive_records = 255\nbuffers = {{ application_input = 31, network_input = 31, network_output = 31 }}\n\
             [[station]]\nname = \"device-{floor}\"\ncount = {count}\non = [\"floor-{floor}\"]\ninput_clock = \"{device_clock}\"\n"
        ));
        let interval = pick(&["2 s", "4 s"]);
        flows.push_str(&format!(
            "[[flow]]\nname = \"command-{floor}\"\nfrom = \"device-{floor}\"\nto = \"controller-{floor}\"\n\
             service = \"acknowledged\"\ndata = \"1 B\"\narrivals = {{ kind = \"poisson\", interval = \"{interval}\" }}\n"
        ));
        devices.push(format!("\"device-{floor}\""));
    }
    let devices = devices.join(", ");
    let (change, poll) = (pick(&["10 s", "30 s"]), pick(&["100 ms", "250 ms"]));
    site.push_str(&format!(
        "{flows}\
         [[flow]]\nname = \"measurement\"\nfrom = [{devices}]\nto = \"supervisor\"\nservice = \"unacknowledged\"\ndata = \"2 B\"\n\
         arrivals = {{ kind = \"heartbeat\", max_interval = \"60 s\", min_interval = \"5 s\", change_interval = \"{change}\" }}\n\
         [[flow]]\nname = \"poll\"\nfrom = \"supervisor\"\nto = [{devices}]\naddressing = \"unicast\"\nservice = \"request\"\n\
         response_data = \"4 B\"\ntransaction_timer = \"256 ms\"\narrivals = {{ kind = \"poll\", interval = \"{poll}\" }}\n\
         [run]\nduration = \"10 min\"\nwarm_up = \"0 s\"\n"
    ));
    site
}

/// The scenario of a twin, with its traces as files.
fn with_traces(twin: &Twin, number: u32) -> String {
    let folder = std::env::temp_dir().join(format!("sojourn-twin-{}-{number}", std::process::id()));
    let mut scenario = twin.scenario.clone();
    for trace in &twin.traces {
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let path = folder.join(&trace.file);
        std::fs::write(&path, &trace.text).expect("a file in it");
        scenario = scenario.replace(&format!("\"{}\"", trace.file), &format!("\"{}\"", path.display()));
    }
    scenario
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}

/// What is wrong with the twin of a random site; `None` if its percentiles are within the bounds.
fn fault(number: u32) -> Option<String> {
    let mut draws = Streams::new(u64::from(number), 0).stream("site");
    let original = captured(&random_site(&mut draws), u64::from(number) + 1);
    let twin = captured(&with_traces(&original.twin, number), 1);
    let ratio = |share: f64| at(&twin.responses, share) / at(&original.responses, share);
    let (p50, p99) = (ratio(0.5), ratio(0.99));
    let close = (p50 - 1.0).abs() <= P50 && (p99 - 1.0).abs() <= P99;
    (!close).then(|| format!("site {number}: p50 x {p50:.3}, p99 x {p99:.3}\n{}", original.twin.scenario))
}

#[test]
fn the_twin_of_a_site_has_its_response_times() {
    assert_eq!(fault(0), None);
}

#[test]
#[ignore = "simulates forty sites; `make nightly` runs it"]
fn nine_of_ten_twins_have_the_response_times_of_their_sites() {
    let faults: Vec<String> = (0..MANY).filter_map(fault).collect();
    assert!(faults.len() <= MISSES, "{} of {MANY}: {}", faults.len(), faults.join("\n"));
}
