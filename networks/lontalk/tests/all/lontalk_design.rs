//! Rules of the trade that a LonTalk site may break and still be simulated: each is a warning that names its source.

use sojourn_lontalk::LonTalkNetwork;
use sojourn_model::Network;
use sojourn_scenario::check;

fn warnings(text: &str) -> Vec<String> {
    let document = sojourn_lontalk::NETWORKS.kinds().parse("site.toml", text).expect("a document");
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    LonTalkNetwork.warnings(&scenario).iter().map(sojourn_model::Warning::in_words).collect()
}

/// A channel with a controller, sensors and one flow, with these keys of the sensors and of the flow.
fn site(channel: &str, sensors: usize, of_sensors: &str, of_flow: &str) -> String {
    format!(
        "[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"floor\"\nchannel = \"{channel}\"\n\
         [[station]]\nname = \"controller\"\n[[station]]\nname = \"sensor\"\ncount = {sensors}\n{of_sensors}\n\
         [[flow]]\nname = \"measurement\"\n{of_flow}\n[run]\nduration = \"1 s\"\n"
    )
}

const SLOWLY: &str = "from = \"sensor\"\nto = \"controller\"\narrivals = { kind = \"poisson\", interval = \"60 s\" }";

#[test]
fn a_site_within_all_rules_has_no_warning() {
    assert_eq!(warnings(&site("TP/FT-10", 63, "", SLOWLY)), Vec::<String>::new());
    assert_eq!(warnings(&site("TP/XF-1250", 100, "", SLOWLY)), Vec::<String>::new());
}

#[test]
fn more_than_64_devices_on_a_free_topology_segment_need_a_repeater() {
    let found = warnings(&site("TP/FT-10", 64, "", SLOWLY));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("site.toml:5: 65 devices on the TP/FT-10 channel `floor` (Series 6000"), "{found:?}");
    assert!(found[0].contains("router = \"repeater\""));
}

#[test]
fn more_than_127_devices_of_a_channel_need_another_subnet() {
    let found = warnings(&site("TP/XF-1250", 127, "", SLOWLY));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("128 devices on `floor` are more than a subnet holds (ISO/IEC 14908-1"), "{found:?}");
}

#[test]
fn channels_with_too_many_devices_are_one_warning_that_names_two_and_counts_the_others() {
    let floor = |number: usize, sensors: usize| {
        format!(
            "[[medium]]\nname = \"floor-{number}\"\nchannel = \"TP/FT-10\"\n\
             [[station]]\nname = \"sensor-of-{number}\"\ncount = {sensors}\non = \"floor-{number}\"\n"
        )
    };
    let floors = |sensors: &[usize]| {
        let floors: String = sensors.iter().enumerate().map(|(place, &sensors)| floor(place + 1, sensors)).collect();
        let flow = "from = \"sensor-of-1\"\nto = \"partner\"\narrivals = { kind = \"poisson\", interval = \"60 s\" }";
        format!("[network]\nkind = \"lontalk\"\n{floors}[[flow]]\nname = \"talk\"\n{flow}\n[run]\nduration = \"1 s\"\n")
    };
    let found = warnings(&floors(&[2, 70, 100, 64, 130, 80]));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].contains("up to 130 devices on 4 TP/FT-10 channels: `floor-2`, `floor-3` and 2 more"),
        "{found:?}"
    );
    assert!(found[1].contains("130 devices on `floor-5` are more than a subnet holds"), "{found:?}");
    let found = warnings(&floors(&[130, 140]));
    assert!(found[0].contains("up to 140 devices on 2 TP/FT-10 channels: `floor-1` and `floor-2`"), "{found:?}");
    assert!(found[1].contains("up to 140 devices on `floor-1` and `floor-2` are more than"), "{found:?}");
}

#[test]
fn two_devices_with_one_priority_slot_are_named() {
    let found = warnings(&site("TP/XF-1250", 2, "priority_slot = 1", SLOWLY));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("2 devices of `floor` share priority slot 1, sensor-1 and sensor-2"), "{found:?}");
}

#[test]
fn priority_without_a_slot_is_named_and_with_one_it_is_not() {
    let priority = format!("{SLOWLY}\npriority = true");
    let found = warnings(&site("TP/XF-1250", 1, "", &priority));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("flow `measurement` has priority, and its sender sensor has no priority slot"));
    assert!(warnings(&site("TP/XF-1250", 1, "priority_slot = 1", &priority)).is_empty());
}

#[test]
fn a_poll_whose_interval_may_be_meant_as_its_cycle_is_named_with_how_often_each_receiver_is_polled() {
    let poll = |pace: &str| {
        format!(
            "from = \"controller\"\nto = \"sensor\"\nservice = \"request\"\narrivals = {{ kind = \"poll\", {pace} }}"
        )
    };
    let found = warnings(&site("TP/FT-10", 60, "", &poll("interval = \"5 s\"")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("60 receivers, one every 5 s: each is polled every 5 min"), "{found:?}");
    assert!(found[0].contains("cycle = \"5 s\" in place of interval"), "{found:?}");
    for clear in ["cycle = \"5 s\"", "interval = \"100 ms\"", "interval = \"2 s\", cycle = \"2 min\""] {
        assert_eq!(warnings(&site("TP/FT-10", 60, "", &poll(clear))), Vec::<String>::new(), "{clear}");
    }
    assert!(warnings(&site("TP/FT-10", 1, "", &poll("interval = \"5 s\""))).is_empty(), "one receiver");
}

#[test]
fn polling_beyond_what_the_channel_can_sustain_is_named_with_both_rates() {
    let poll = |interval: &str| {
        format!(
            "from = \"controller\"\nto = \"sensor\"\nservice = \"request\"\n\
             arrivals = {{ kind = \"poll\", interval = \"{interval}\" }}"
        )
    };
    let found = warnings(&site("TP/FT-10", 20, "", &poll("5 ms")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("polling puts 400 packets/s on `floor`, which saturates at 2"), "{found:?}");
    assert!(warnings(&site("TP/FT-10", 20, "", &poll("50 ms"))).is_empty());
}
