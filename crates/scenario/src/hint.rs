//! Suggests the nearest known name for a misspelt one.

/// What other tools and trades call what has a name of its own here, in lower case.
const ALIASES: [(&str, &str); 8] = [
    ("latency", "response_time"),
    ("rtt", "response_time"),
    ("delay", "response_time"),
    ("ping", "response_time"),
    ("kbps", "kbit/s"),
    ("mbps", "Mbit/s"),
    ("gbps", "Gbit/s"),
    ("bps", "bit/s"),
];

/// The candidate that `word` is another name of, else the nearest, if one is near enough to be meant: at most 1 + a third of its letters away.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let meant = ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, name)| *name);
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(known) = candidates.iter().find(|known| Some(**known) == meant) {
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
    fn a_list_of_known_names_has_each_once() {
        assert_eq!(suggestion("boiler", ["sensor", "sensor", "fan"]).as_deref(), Some("known: sensor, fan"));
    }
}
