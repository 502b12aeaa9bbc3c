//! Suggests the nearest known name for a misspelt one.

/// What other tools and trades call what has a name of its own here, in lower case: the names, the likeliest first.
const ALIASES: &[(&[&str], &[&str])] = &[
    (
        &["latency", "rtt", "delay", "ping", "lag", "round_trip_time", "duration"],
        &["response_time", "one_way_delay", "transaction_time", "delay"],
    ),
    (&["jitter", "delay_variation"], &["ipdv", "pdv", "jitter_rfc3550", "jitter_p95_p50", "jitter"]),
    (
        &["bandwidth", "goodput", "bitrate", "speed", "capacity"],
        &["throughput", "throughput_l4", "throughput_l3", "rate", "bit_rate"],
    ),
    (&["packet_loss", "loss_rate"], &["loss"]),
    (&["utilization", "usage", "load"], &["utilisation"]),
    (&["kbps", "kb/s"], &["kbit/s"]),
    (&["mbps", "mb/s"], &["Mbit/s"]),
    (&["gbps", "gb/s"], &["Gbit/s"]),
    (&["bps"], &["bit/s"]),
];

/// The candidate that `word` is another name of.
pub fn meant<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let (_, names) = ALIASES.iter().find(|(aliases, _)| aliases.contains(&lower.as_str()))?;
    names.iter().find_map(|name| candidates.iter().find(|known| *known == name)).copied()
}

/// The candidate that `word` is another name of, else the nearest, if one is near enough to be meant: at most 1 + a third of its letters away.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(known) = meant(word, &candidates) {
        return Some(known);
    }
    let limit = 1 + word.chars().count() / 3;
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`?", or what there is to choose from.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    if let Some(near) = nearest(word, candidates.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let mut known: Vec<&str> = Vec::new();
    for candidate in candidates {
        if !known.contains(&candidate) {
            known.push(candidate);
        }
    }
    match known.len() {
        0 => None,
        1..=24 => Some(format!("known: {}", known.join(", "))),
        _ => Some(format!("known: {}, ... ({} in all)", known[..20].join(", "), known.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_a_slip_and_a_missing_letter_are_near_but_another_word_is_not() {
        let known = ["service", "retries", "priority"];
        assert_eq!(nearest("sevrice", known), Some("service"));
        assert_eq!(nearest("retry", known), None);
        assert_eq!(nearest("retrie", known), Some("retries"));
        assert_eq!(nearest("colour", known), None);
    }

    #[test]
    fn what_others_call_a_time_or_a_rate_is_known_by_its_name_here() {
        let metrics = ["lateness", "one_way_delay", "response_time"];
        for word in ["latency", "RTT", "delay", "ping"] {
            assert_eq!(nearest(word, metrics), Some("response_time"), "{word}");
        }
        assert_eq!(nearest("latency", ["lateness"]), Some("lateness"), "where there is no response time");
        let rates = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"];
        assert_eq!(["bps", "kbps", "Mbps", "Gbps"].map(|word| nearest(word, rates)), rates.map(Some));
    }

    #[test]
    fn jitter_bandwidth_and_lag_lead_to_metrics_and_keys() {
        assert_eq!(nearest("jitter", ["loss", "pdv", "ipdv"]), Some("ipdv"));
        assert_eq!(nearest("Bandwidth", ["delay", "throughput"]), Some("throughput"));
        assert_eq!(nearest("bandwidth", ["delay", "rate", "loss"]), Some("rate"), "of a medium");
        assert_eq!(nearest("lag", ["one_way_delay", "loss"]), Some("one_way_delay"));
        assert_eq!(nearest("latency", ["rate", "delay"]), Some("delay"), "of a medium");
    }

    #[test]
    fn a_list_of_known_names_has_each_once() {
        assert_eq!(suggestion("boiler", ["sensor", "sensor", "fan"]).as_deref(), Some("known: sensor, fan"));
    }
}
