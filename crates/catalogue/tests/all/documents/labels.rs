//! Labels of keys in figures, tables and sentences.

use sojourn_catalogue::NETWORKS;

fn shown(kind: &str, path: &str) -> (String, &'static str) {
    let found = NETWORKS.kinds().label(kind, path).unwrap_or_else(|| panic!("{kind} has no key {path}"));
    (found.label, found.shown_unit)
}

#[test]
fn a_label_is_declared_or_derived_from_the_name() {
    assert_eq!(shown("lontalk", "background.rate"), ("Offered load".to_owned(), "packets/s"));
    assert_eq!(shown("packet-radio", "medium.radio.bit_error_rate"), ("Bit error rate".to_owned(), ""));
}

#[test]
fn a_path_through_a_member_or_an_inline_table_names_the_innermost_key() {
    assert_eq!(shown("packet-radio", "station.talker.count").0, "Stations");
    assert_eq!(shown("packet-radio", "station.netrom.window").0, "Circuit window");
    assert_eq!(shown("packet-radio", "station.window").0, "Window (k)");
}

#[test]
fn a_fraction_is_shown_in_percent_and_a_size_in_bytes() {
    assert_eq!(shown("fddi-adapter", "bus.interference").1, "%");
    assert_eq!(shown("packet-radio", "probe.size").1, "bytes");
}

#[test]
fn what_is_not_a_key_has_no_label() {
    assert_eq!(NETWORKS.kinds().label("lontalk", "nonsense.key"), None);
    assert_eq!(NETWORKS.kinds().label("lontalk", "background"), None);
    assert_eq!(NETWORKS.kinds().label("lontalk", "background.rate.more.steps"), None);
}
