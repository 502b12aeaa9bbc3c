//! The nearest known name to a misspelt one.

/// The candidate nearest to `word`, if one is near enough to be meant: at most 1 + a third of its letters away.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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
    fn a_list_of_known_names_has_each_once() {
        assert_eq!(suggestion("boiler", ["sensor", "sensor", "fan"]).as_deref(), Some("known: sensor, fan"));
    }
}
