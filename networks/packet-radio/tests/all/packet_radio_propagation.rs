//! Signal levels, capture and fading of radio channels, from a scenario's keys to what stations receive.

use sojourn_protocols::ax25::hdlc::air_time::mean_time;

use crate::support::{Metrics, metrics, scenario, value};

/// Two groups of stations that do not hear each other, and a mailbox that hears both.
const VALLEY: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "valley"
    bit_rate = "9600 bit/s"
    txdelay = "50 ms"
    capture_ratio = "8 dB"
    [[station]]
    name = "mailbox"
    [[station]]
    name = "near"
    hears = "mailbox"
    [[station]]
    name = "far"
    count = 2
    hears = "mailbox"
    [[path_loss]]
    name = "hill"
    between = ["far", "mailbox"]
    loss = "8 dB"
    [[flow]]
    name = "from-near"
    from = "near"
    to = "mailbox"
    data = "128 B"
    arrivals = { kind = "poisson", interval = "1 s" }
    [[flow]]
    name = "from-far"
    from = "far"
    to = "mailbox"
    data = "128 B"
    arrivals = { kind = "poisson", interval = "1 s" }
    [run]
    duration = "30 min"
"#;

/// Share of the frames that the mailbox loses, of those from near and from far: the other flow's are broadcasts, which count
/// for nothing.
fn losses(edits: &[(&str, &str)]) -> [f64; 2] {
    ["far", "near"].map(|other| {
        let flow = format!("from = \"{other}\"\n    to = ");
        let text = VALLEY.replace(&format!("{flow}\"mailbox\""), &format!("{flow}\"broadcast\""));
        value(&metrics(&text, edits), "loss", "value")
    })
}

#[test]
fn a_station_that_is_stronger_by_the_capture_ratio_loses_no_frame_to_weaker_ones() {
    let [near, far] = losses(&[]);
    // of 1800 frames one may be in flight at the end
    assert!(near < 0.001 && far > 0.1, "{near} {far}");
    let weaker = losses(&[("path_loss.hill.loss", "7.9 dB")]);
    assert!(weaker[0] > 0.1 && weaker[1] >= far, "{weaker:?}");
}

#[test]
fn more_power_makes_up_for_a_path() {
    let [near, far] = losses(&[("station.far.transmit_power", "8 dB")]);
    assert!(near > 0.1 && far > 0.1, "both are received at 0 dB: {near} {far}");
    let [near, far] = losses(&[("station.far.transmit_power", "16 dB")]);
    assert!(near > 0.1 && far < near, "the far ones are the stronger: {near} {far}");
}

#[test]
fn levels_that_differ_by_less_than_the_ratio_change_nothing() {
    let bare = VALLEY.replace("capture_ratio = \"8 dB\"", "");
    let bare = bare.split("[[path_loss]]").next().unwrap().to_owned() + &VALLEY[VALLEY.find("[[flow]]").unwrap()..];
    let without: Metrics = metrics(&bare, &[]);
    assert_eq!(metrics(VALLEY, &[("path_loss.hill.loss", "7.9 dB")]), without);
}

/// A frame is good where its path is good when it begins and until it ends: with this many errors that the bad state spoils
/// every frame, P = good / (good + bad) exp(-T / good).
#[test]
fn a_path_that_fades_loses_the_frames_that_meet_a_fade() {
    let text = |arrivals: &str| {
        format!(
            "[network]\nkind = \"packet-radio\"\n[[medium]]\nname = \"hf\"\nbit_rate = \"300 bit/s\"\ntxdelay = \"100 ms\"\n\
             fading = {{ bit_error_rate = 0.4, good = \"20 s\", bad = \"4 s\" }}\n[[station]]\nname = \"a\"\n\
             [[station]]\nname = \"b\"\n[[flow]]\nname = \"news\"\nfrom = \"a\"\nto = \"b\"\ndata = \"64 B\"\n\
             arrivals = {arrivals}\n[run]\nduration = \"200 h\"\n"
        )
    };
    let air = mean_time(1, 64 + 16, 300).seconds();
    let expected = 1.0 - 20.0 / 24.0 * libm::exp(-air / 20.0);
    let found = value(&metrics(&text("{ kind = \"poisson\", interval = \"60 s\" }"), &[]), "loss", "value");
    // 12 000 frames that are nearly independent, and a fade that begins with the last bits of a frame
    assert!((found - expected).abs() < 0.02, "{found} {expected}");
}

#[test]
fn losses_that_cannot_be_are_refused_at_their_place() {
    let path =
        |between: &str, loss: &str| format!("\n[[path_loss]]\nname = \"x\"\nbetween = {between}\nloss = \"{loss}\"\n");
    let plain = VALLEY.replace("capture_ratio = \"8 dB\"", "");
    let wired = format!("{VALLEY}\n[[medium]]\nname = \"line\"\ntype = \"wire\"\n");
    let wired = wired.replace("name = \"mailbox\"\n", "name = \"mailbox\"\non = [\"valley\"]\n");
    let wired = wired.replace("hears = \"mailbox\"\n", "hears = \"mailbox\"\non = [\"valley\"]\n");
    let ends = "\n[[station]]\nname = \"one\"\non = [\"line\"]\n[[station]]\nname = \"other\"\non = [\"line\"]\n";
    let wired = format!("{wired}{ends}{}", path("[\"one\", \"other\"]", "3 dB"));
    let cases = [
        (format!("{VALLEY}{}", path("[\"mailbox\", \"far-2\"]", "9 dB")), "the loss is 8 dB in `hill`, not 9 dB"),
        (format!("{VALLEY}{}", path("[\"near\", \"far\"]", "9 dB")), "`near` and `far-1` do not hear each other"),
        (format!("{VALLEY}{}", path("[\"near\", \"near\"]", "9 dB")), "`near` has no path to itself"),
        (format!("{VALLEY}{}", path("\"near\"", "9 dB")), "a path is between two stations, and `between` names 1"),
        (format!("{VALLEY}{}", path("[\"near\", \"mailbax\"]", "9 dB")), "did you mean `mailbox`?"),
        (format!("{VALLEY}{}", path("[\"near\", \"mailbox\"]", "9 km")), "9 km"),
        (plain, "levels do not matter on `valley`: it has no capture_ratio"),
        (wired, "`one` and `other` share no radio channel"),
        (
            VALLEY.replace("count = 2", "count = 1000"),
            "`valley` has 1002 stations; with `capture_ratio` it can have 1000",
        ),
        (VALLEY.replace("capture_ratio = \"8 dB\"", "fading = { good = \"3 s\", bad = \"1 s\" }"), "bit_error_rate"),
    ];
    for (text, message) in cases {
        let problems = scenario(&text, &[]).map(|_| ()).expect_err(message);
        let rendered = problems.render(false, 200);
        assert!(rendered.contains(message), "{message}: {rendered}");
        assert!(problems.0.iter().all(|problem| problem.place.is_some()), "{rendered}");
    }
}

#[test]
fn two_tables_that_agree_about_a_pair_are_one() {
    let again = "\n[[path_loss]]\nname = \"again\"\nbetween = [\"mailbox\", \"far-1\"]\nloss = \"8 dB\"\n";
    assert_eq!(metrics(&format!("{VALLEY}{again}"), &[]), metrics(VALLEY, &[]));
}

#[test]
fn a_medium_with_error_correction_says_what_it_corrected_and_one_without_nothing() {
    let noise = ("medium.valley.bit_error_rate", "1e-3");
    let plain = metrics(VALLEY, &[noise]);
    assert!(!plain.contains_key("corrected_octets") && !plain.contains_key("corrected_frames"));
    let blocks = ("medium.valley.framing", "{ kind = \"fx25\", check = 16 }");
    let coded = metrics(VALLEY, &[noise, blocks]);
    let (octets, frames) = (value(&coded, "corrected_octets", "value"), value(&coded, "corrected_frames", "value"));
    // each of the 255 octets of a block is wrong with a probability of 0.8 %
    let received = value(&coded, "packets", "value");
    assert!((0.84..0.9).contains(&frames) && (1.9..2.1).contains(&(octets / received)), "{frames} {octets} {received}");
    let quiet = metrics(VALLEY, &[blocks]);
    assert_eq!(value(&quiet, "corrected_octets", "value"), 0.0);
}
