//! Names of secrets: of settings, of header fields, and of parameters in the query of a URL.

use crate::keys::live::{measure, services};
use crate::keys::{Key, Secrecy};

/// How a name ends, in lower case and without `-` and `_`, whose value is a secret.
const ENDS: [&str; 26] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "psk",
    "authorization",
    "credential",
    "credentials",
    "signature",
    "cookie",
    "apikey",
    "authkey",
    "authenticationkey",
    "accesskey",
    "privatekey",
    "secretkey",
    "sharedkey",
    "signingkey",
    "apitoken",
    "authtoken",
    "accesstoken",
    "bearertoken",
    "refreshtoken",
    "sessiontoken",
    "securitytoken",
    "jwt",
];
/// Names of secrets as a whole: `packets_per_token` is none.
const WHOLE: [&str; 5] = ["token", "key", "pass", "pwd", "auth"];
/// How a parameter of a query ends in addition: there is no other use of keys and tokens in URLs.
const ENDS_OF_QUERY: [&str; 3] = ["token", "key", "pwd"];
/// Parameters of a query as a whole.
const WHOLE_OF_QUERY: [&str; 7] = ["sig", "hmac", "sid", "session", "sessionid", "jsessionid", "otp"];
/// Options beside keys whose value is a secret: a command that is run for an alert has the token of its service.
const OPTIONS: [&str; 1] = ["onalert"];
/// Header fields whose values are shown; any other may be a secret.
const HARMLESS: [&str; 16] = [
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-encoding",
    "content-language",
    "content-type",
    "date",
    "expect",
    "host",
    "pragma",
    "range",
    "te",
    "user-agent",
];

/// Whether a setting of this name is a secret, wherever it stands.
pub fn is_of_secret(name: &str) -> bool {
    let plain = plain(name);
    WHOLE.contains(&plain.as_str()) || ends(&plain)
}

/// Whether a name is one whose value ends with the word, as of `token: 5 ms` in a sentence.
pub(super) fn is_word(name: &str) -> bool {
    WHOLE.contains(&plain(name).as_str())
}

/// Whether a parameter of a query is a secret.
pub(super) fn is_of_query(name: &str) -> bool {
    let plain = plain(&decoded(name));
    let is_whole = WHOLE.contains(&plain.as_str()) || WHOLE_OF_QUERY.contains(&plain.as_str());
    is_whole || ends(&plain) || ENDS_OF_QUERY.iter().any(|end| plain.ends_with(end))
}

/// Whether the value of a header field is shown.
pub(super) fn is_harmless_field(name: &str) -> bool {
    HARMLESS.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

/// What of the value of a setting is a secret, by the last part of its path.
pub(super) fn secrecy(path: &str) -> Secrecy {
    let name = path.rsplit('.').next().unwrap_or(path).trim_start_matches('-');
    let underscored = name.replace('-', "_");
    let is_named = |key: &&Key| key.name == underscored;
    let declared = services::KEYS.iter().chain([&measure::PEER]).find(is_named).map(|key| key.secrecy);
    match declared {
        Some(secrecy) => secrecy,
        None if is_of_secret(name) || OPTIONS.contains(&plain(name).as_str()) => Secrecy::Whole,
        None => Secrecy::None,
    }
}

fn ends(plain: &str) -> bool {
    ENDS.iter().any(|end| plain.ends_with(end))
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '-' | '_')).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// A name of a query without percent-encoding, of ASCII.
fn decoded(name: &str) -> String {
    let (mut text, mut rest) = (String::new(), name);
    while let Some((before, behind)) = rest.split_once('%') {
        text += before;
        let digits = behind.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(u8::is_ascii);
        match digits {
            Some(octet) => {
                text.push(char::from(octet));
                rest = &behind[2..];
            }
            None => {
                text.push('%');
                rest = behind;
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in ["password", "api_key", "X-Api-Key", "apiKey", "access_token", "Proxy-Authorization", "set-cookie"]
        {
            assert!(is_of_secret(name), "{name}");
        }
        for name in ["packets_per_token", "key_file", "authentication_pass", "token_loss", "keyword", "author"] {
            assert!(!is_of_secret(name), "{name}");
        }
    }

    #[test]
    fn parameters_of_a_query_are_known_also_encoded() {
        for name in ["sig", "X-Amz-Signature", "csrf_token", "api%5Fkey", "%6Bey", "sort-key", "X-Amz-Credential"] {
            assert!(is_of_query(name), "{name}");
        }
        for name in ["type", "over", "via", "port", "page", "author", "keyword", "100%"] {
            assert!(!is_of_query(name), "{name}");
        }
    }

    #[test]
    fn a_declared_key_says_what_of_it_is_secret() {
        assert_eq!(secrecy("measure.header"), Secrecy::Fields);
        assert_eq!(secrecy("target.body"), Secrecy::Whole);
        assert_eq!(secrecy("measure.peer"), Secrecy::Url);
        assert_eq!(secrecy("--on-alert"), Secrecy::Whole);
        assert_eq!(secrecy("measure.status"), Secrecy::None);
    }
}
