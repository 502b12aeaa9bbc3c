//! A twin reproduces its original: random LonTalk sites are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.

use sojourn_core::Streams;
use sojourn_core::random::Stream;
use sojourn_twin::Twin;

use crate::simulated::{Captured, EXACT, pick};
use crate::twin_of::{Closeness, assert_nine_of_ten_are_close};

/// A site of one to three floors on a backbone, with devices that send on change, command a controller and are polled.
fn random_site(draws: &mut Stream) -> String {
    let mut pick = |choices: &[&'static str]| pick(draws, choices);
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

/// What is wrong with the twin of a random site; `None` if its percentiles are within the bounds.
fn fault(number: u32) -> Option<String> {
    let site = random_site(&mut Streams::new(u64::from(number), 0).stream("site"));
    let original = Captured::of(&site, u64::from(number) + 1, EXACT);
    let expected = original.responses("");
    let twin = original.twin().expect("a LonTalk capture");
    let found = Captured::of(&with_traces(&twin, number), 1, EXACT).responses("");
    Closeness::of(&expected, &found).fault(format!("site {number}"), &site, &twin.scenario)
}

#[test]
fn the_twin_of_a_site_has_its_response_times() {
    assert_eq!(fault(0), None);
}

#[test]
#[ignore = "simulates a hundred sites; `make nightly` runs it"]
fn nine_of_ten_twins_have_the_response_times_of_their_sites() {
    assert_nine_of_ten_are_close(fault);
}
