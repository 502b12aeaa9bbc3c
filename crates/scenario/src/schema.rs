//! The JSON schema (draft 2020-12) of scenarios, from the key declarations: editors use it for completion, and the
//! tables of the documentation are generated from it. Besides the standard vocabulary, each key has `x-unit` (the SI
//! unit of results), `x-units` (accepted in values), `x-range`, `x-default` (as TOML), `x-source`, `x-world`,
//! `x-option` (the measuring commands' short option for it) and `x-secret` (what of its value is a secret).

use serde_json::{Map, Value as Json, json};

use crate::expand::MEMBER;
use crate::keys::{
    Bounds, Codes, Flag, Key, Kind, NetworkKeys, Preset, Secrecy, Shape, TableKeys, Variant, Word, common,
};
use crate::quantity::Dimension;
use crate::value::range_in_words;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";
const NUMBER: &str = r"^[+-]?[0-9][0-9_]*(\.[0-9_]+)?([eE][+-]?[0-9]+)?\s*";
const NAME: &str = r"^[\p{L}\p{N}_-]+$";

/// The schema of one network's scenarios.
pub(crate) fn of_network(declared: &NetworkKeys) -> Json {
    drafted(network(declared))
}

/// The schema of the scenarios of any of these networks.
pub(crate) fn of_any(networks: impl Iterator<Item = &'static NetworkKeys>) -> Json {
    drafted(json!({ "title": "A Sojourn scenario", "anyOf": networks.map(network).collect::<Vec<_>>() }))
}

fn drafted(mut schema: Json) -> Json {
    schema["$schema"] = json!(DRAFT);
    schema
}

fn network(network: &NetworkKeys) -> Json {
    let mut properties = Map::new();
    properties.insert("title".to_owned(), key(&common::TITLE));
    for declared in network.tables {
        properties.insert(declared.name.to_owned(), table(network, declared));
    }
    if network.table("station").is_some() {
        properties.insert("stations".to_owned(), key(&common::STATIONS_FILE));
    }
    properties.insert("expect".to_owned(), expect());
    json!({
        "title": format!("A Sojourn scenario of kind {}", network.kind),
        "description": network.help,
        "type": "object",
        "properties": properties,
        "required": ["network"],
        "additionalProperties": false,
    })
}

fn expect() -> Json {
    json!({
        "description": "What results should be: \"METRIC.FIELD\" = \"RELATION VALUE\"; the run ends with a verdict on each.",
        "type": "object",
        "additionalProperties": { "type": "string", "pattern": r"^\s*(<|<=|≤|=|==|>=|≥|>)\s*[+-]?[0-9]" },
    })
}

fn table(network: &NetworkKeys, declared: &TableKeys) -> Json {
    let mut object = keyed(declared.all());
    if declared.name == "network" {
        object["properties"]["kind"]["const"] = json!(network.kind);
    }
    if declared.shape != Shape::Many {
        object["description"] = json!(declared.help);
        return object;
    }
    let mut others = object.clone();
    others["required"] = json!([]);
    if declared.name == "station" {
        object["properties"][MEMBER] = json!({
            "description": "Members of a station with count that differ from the rest, by name.",
            "type": "object",
            "additionalProperties": others.clone(),
        });
    }
    let list = json!({ "description": declared.help, "type": "array", "items": object });
    if declared.name != "station" || network.shorthands.is_empty() {
        return list;
    }
    // keys of the stations that shorthand tables make, and [station.NAME] for one of them
    others["additionalProperties"] = json!({ "type": "object" });
    json!({ "description": declared.help, "anyOf": [list, others] })
}

fn keyed(all: impl Iterator<Item = &'static Key> + Clone) -> Json {
    let properties: Map<String, Json> = all.clone().map(|declared| (declared.name.to_owned(), key(declared))).collect();
    let required: Vec<&str> = all.filter(|key| matches!(key.preset, Preset::Required)).map(|key| key.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn key(key: &Key) -> Json {
    let mut schema = kind(key.kind);
    schema["description"] = json!(key.help);
    schema["x-world"] = json!(key.world.word());
    if key.secrecy != Secrecy::None {
        schema["x-secret"] = json!(key.secrecy.word());
    }
    if let Some(Flag { name, group, help }) = key.option {
        schema["x-option"] = json!({ "name": name, "group": group, "help": help });
    }
    if !key.source.is_empty() {
        schema["x-source"] = json!(key.source);
    }
    if let Some(unit) = key.unit() {
        schema["x-unit"] = json!(unit);
    }
    match key.preset {
        Preset::Value(text) => {
            schema["x-default"] = json!(text);
            let node = crate::tree::value(text, &crate::Source::new("declaration", text), 0);
            schema["default"] = node.to_json();
        }
        Preset::By(other, values) => {
            let texts: Vec<String> =
                values.iter().map(|(word, text)| format!("{word}: {}", text.trim_matches('"'))).collect();
            schema["x-default"] = json!(format!("by {other}: {}", texts.join(", ")));
        }
        Preset::OnlyMedium => schema["x-default"] = json!("the only medium"),
        Preset::Required | Preset::Absent => {}
    }
    schema
}

fn kind(kind: Kind) -> Json {
    match kind {
        Kind::Quantity(dimension, bounds) => quantity(dimension, bounds),
        Kind::QuantityOr(dimension, bounds, allowed) => {
            let quantity = quantity(dimension, bounds);
            json!({ "x-units": quantity["x-units"], "x-range": quantity["x-range"], "anyOf": [quantity, words(allowed)] })
        }
        Kind::Code(codes) => code(codes),
        Kind::Integer(low, high) => {
            json!({ "type": "integer", "minimum": low, "maximum": high, "x-range": format!("{low} to {high}") })
        }
        Kind::Choice(choices) => {
            let list = choices.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            json!({ "enum": choices, "x-range": list })
        }
        Kind::Number(bounds) => {
            let mut schema = json!({ "type": "number", "x-range": range_in_words(bounds) });
            number_bounds(&mut schema, bounds);
            schema
        }
        Kind::Word(allowed) => words(allowed),
        Kind::Name => json!({ "type": "string", "pattern": NAME }),
        Kind::Names(..) => json!({ "anyOf": [
            { "type": "string", "pattern": NAME },
            { "type": "array", "minItems": 1, "items": { "type": "string", "pattern": NAME } },
        ] }),
        Kind::Texts => json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
        Kind::Times(bounds) => {
            let one = quantity(Dimension::Time, bounds);
            json!({
                "x-units": one["x-units"], "x-range": one["x-range"],
                "anyOf": [one.clone(), { "type": "array", "minItems": 1, "items": one }],
            })
        }
        Kind::Settings => json!({ "type": "object", "minProperties": 1 }),
        Kind::Text | Kind::File => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Table(keys) => keyed(keys.iter()),
        Kind::Variants(variants) => json!({ "anyOf": variants.iter().map(variant).collect::<Vec<_>>() }),
        Kind::TimeOrLaw(bounds, variants) => {
            let time = quantity(Dimension::Time, bounds);
            let (units, range) = (time["x-units"].clone(), time["x-range"].clone());
            let forms: Vec<Json> = std::iter::once(time).chain(variants.iter().map(variant)).collect();
            json!({ "x-units": units, "x-range": range, "anyOf": forms })
        }
    }
}

fn quantity(dimension: Dimension, bounds: Bounds) -> Json {
    let units: Vec<&str> = dimension.units().iter().map(|unit| unit.name).collect();
    let pattern = format!("{NUMBER}({})$", units.join("|"));
    let mut schema = json!({ "type": "string", "pattern": pattern });
    if dimension.bare() {
        schema = json!({ "anyOf": [schema, { "type": "number" }] });
    }
    schema["x-units"] = json!(dimension.units_in_words());
    schema["x-range"] = json!(range_in_words(bounds));
    schema
}

fn number_bounds(schema: &mut Json, bounds: Bounds) {
    let low = if bounds.above { "exclusiveMinimum" } else { "minimum" };
    for (name, text) in [(low, bounds.low), ("maximum", bounds.high)] {
        if let Ok(number) = text.parse::<f64>() {
            schema[name] = json!(number);
        }
    }
}

fn code(codes: &Codes) -> Json {
    let texts: Vec<String> = codes.milliseconds.iter().map(|ms| format!("{ms} ms")).collect();
    let list = codes.milliseconds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let any_unit =
        format!("{NUMBER}({})$", Dimension::Time.units().iter().map(|unit| unit.name).collect::<Vec<_>>().join("|"));
    json!({
        "x-range": format!("{list} ms"), "x-units": Dimension::Time.units_in_words(), "examples": texts.clone(),
        "anyOf": [{ "enum": texts }, { "type": "string", "pattern": any_unit }],
    })
}

fn words(words: &[Word]) -> Json {
    let list: Vec<&str> = words.iter().map(|word| word.word).collect();
    let meanings: Vec<Json> =
        words.iter().map(|word| json!({ "const": word.word, "description": word.help })).collect();
    json!({ "x-range": list.join(", "), "anyOf": meanings })
}

fn variant(variant: &Variant) -> Json {
    let mut object = keyed(variant.keys.iter().flat_map(|list| list.iter()));
    object["description"] = json!(variant.help);
    object["properties"]["kind"] = json!({ "const": variant.word });
    let mut required = object["required"].as_array().cloned().unwrap_or_default();
    // an interval may be written as a rate
    required.retain(|key| key != "interval");
    required.push(json!("kind"));
    object["required"] = Json::Array(required);
    object
}
