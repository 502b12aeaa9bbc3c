//! The JSON schema says of a scenario what the checker says.

use crate::documents::support::{FLOW, SHORTHAND};
use serde_json::{Map, Value as Json};
use sojourn_catalogue::NETWORKS;
use sojourn_scenario::{Source, tree};

/// A text as JSON.
fn json(text: &str) -> Json {
    let entries = tree::parse(&Source::new("text", text)).unwrap();
    Json::Object(entries.0.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect())
}

/// Whether a value meets a schema, for the words our schema uses; patterns are left to editors.
fn meets(schema: &Json, value: &Json) -> bool {
    let Json::Object(schema) = schema else { return true };
    schema.iter().all(|(word, rule)| match word.as_str() {
        "type" => has_type(rule.as_str().unwrap(), value),
        "const" => rule == value,
        "enum" => rule.as_array().unwrap().contains(value),
        "anyOf" => rule.as_array().unwrap().iter().any(|schema| meets(schema, value)),
        "required" => value
            .as_object()
            .is_none_or(|object| rule.as_array().unwrap().iter().all(|key| object.contains_key(key.as_str().unwrap()))),
        "properties" => value.as_object().is_none_or(|object| {
            object.iter().all(|(key, value)| rule.get(key).is_none_or(|schema| meets(schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|object| {
            others(schema, object).iter().all(|value| rule != &Json::Bool(false) && meets(rule, value))
        }),
        "items" => value.as_array().is_none_or(|list| list.iter().all(|value| meets(rule, value))),
        "minItems" => value.as_array().is_none_or(|list| list.len() as u64 >= rule.as_u64().unwrap()),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "title" | "description" | "$schema" | "default" | "examples" | "pattern" => true,
        other if other.starts_with("x-") => true,
        other => panic!("the schema uses `{other}`, which this test does not know"),
    })
}

fn others<'a>(schema: &Map<String, Json>, object: &'a Map<String, Json>) -> Vec<&'a Json> {
    let known = schema.get("properties").and_then(Json::as_object);
    object
        .iter()
        .filter(|(key, _)| !known.is_some_and(|known| known.contains_key(*key)))
        .map(|(_, value)| value)
        .collect()
}

fn has_type(name: &str, value: &Json) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("unknown type {other}"),
    }
}

#[test]
fn valid_scenarios_meet_it_short_and_expanded() {
    let all = NETWORKS.kinds().schema(None).unwrap();
    for network in NETWORKS.kinds().all() {
        let own = NETWORKS.kinds().schema(Some(network.kind)).unwrap();
        assert_eq!(own["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let mut texts =
            vec![network.template.to_owned(), crate::documents::support::scenario(network.template).expanded_toml()];
        if network.kind == "lontalk" {
            texts.extend([
                FLOW.to_owned(),
                SHORTHAND.to_owned(),
                FLOW.replace("count = 4", "count = 4\n[station.member.sensor-2]\npriority_slot = 1"),
            ]);
        }
        for text in texts {
            assert!(meets(&own, &json(&text)), "{text}");
            assert!(meets(&all, &json(&text)), "{text}");
        }
    }
}

#[test]
fn mistakes_that_need_no_names_do_not_meet_it() {
    let own = NETWORKS.kinds().schema(Some("lontalk")).unwrap();
    let bad = |line: &str, by: &str| {
        let text = crate::documents::support::replaced(SHORTHAND, line, by);
        assert!(!meets(&own, &json(&text)), "{text}");
        crate::documents::support::problems(&text);
    };
    bad("retries = 4", "retires = 4");
    bad("retries = 4", "retries = 16");
    bad("retries = 4", "service = \"acknowleged\"");
    bad("retries = 4", "arrivals = { kind = \"periodic\", intervall = \"1 s\" }");
    bad("priority_slots = 0", "domain_length = 2");
    bad("[background]", "[backgruond]");
    bad("rate = \"300 /s\"", "");
}

#[test]
fn each_key_says_what_the_documentation_needs() {
    let own = NETWORKS.kinds().schema(Some("lontalk")).unwrap();
    let rate = &own["properties"]["background"]["properties"]["rate"];
    for word in ["description", "x-unit", "x-units", "x-range", "x-world"] {
        assert!(rate[word].is_string(), "{word}");
    }
    let retries = &own["properties"]["probe"]["properties"]["retries"];
    assert_eq!((retries["x-default"].as_str(), retries["x-range"].as_str()), (Some("3"), Some("0 to 15")));
    assert!(retries["x-source"].is_string());
}

#[test]
fn a_network_that_does_not_exist_has_none() {
    assert!(NETWORKS.kinds().schema(Some("no-such-network")).is_none());
}
