//! The secrets of a request, as plain data: it is kept beside results, to say what was asked for.

use serde_json::Value as Json;

use super::{HIDDEN, name, shown_document};
use crate::keys::Secrecy;

/// A request without its secrets: those of its texts, and the values of keys and members that are secrets by their names.
pub(super) fn shown(request: Json) -> Json {
    match request {
        Json::Object(members) => {
            let key = members.get("key").and_then(Json::as_str).map(str::to_owned);
            let one = |(name, member): (String, Json)| {
                let member = match member {
                    // an option with the key that it sets
                    Json::String(text) if name == "value" && key.is_some() => {
                        Json::String(shown_value(key.as_deref().unwrap_or_default(), &text))
                    }
                    Json::String(text) if name != "key" => Json::String(shown_value(&name, &text)),
                    member => shown(member),
                };
                (name, member)
            };
            Json::Object(members.into_iter().map(one).collect())
        }
        Json::Array(list) => list.into_iter().map(shown).collect(),
        Json::String(text) => Json::String(shown_document(&text)),
        other => other,
    }
}

/// The value of a key, without what of it is a secret.
pub(super) fn shown_value(key: &str, value: &str) -> String {
    match name::secrecy(key) {
        Secrecy::Whole => HIDDEN.to_owned(),
        Secrecy::Fields => {
            let setting = shown_document(&format!("header={value}"));
            setting.strip_prefix("header=").unwrap_or(HIDDEN).to_owned()
        }
        Secrecy::None | Secrecy::Url | Secrecy::File => shown_document(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_says_what_was_asked_for_without_its_secrets() {
        let change = |key: &str, value: &str, argument: &str| json!({"key": key, "value": value, "argument": argument});
        let request = json!({
            "peer": "http://me:a@h/?token=b",
            "options": [
                change("measure.header", "X-Own: a", "--header X-Own: a"),
                change("measure.body", "a", "--body a"),
                change("measure.rate", "5 /s", "--rate 5 /s"),
            ],
            "set": ["measure.header=X-Own: a", "run.seed=5"],
            "on_alert": "curl -d a",
            "key_file": "/k",
            "runs": {"seed": 3},
        });
        let expected = json!({
            "peer": "http://me@h/?token=***",
            "options": [
                change("measure.header", "X-Own: ***", "--header X-Own: ***"),
                change("measure.body", "***", "--body ***"),
                change("measure.rate", "5 /s", "--rate 5 /s"),
            ],
            "set": ["measure.header=X-Own: ***", "run.seed=5"],
            "on_alert": "***",
            "key_file": "/k",
            "runs": {"seed": 3},
        });
        assert_eq!(shown(request), expected);
    }
}
