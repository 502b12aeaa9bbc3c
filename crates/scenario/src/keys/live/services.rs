//! Keys of requests over HTTP, of a measurement and of each target that is monitored.

use super::{DESIGN, group};
use crate::keys::{Key, Kind, Secrecy, key, word};

/// How requests are sent, and what their answers have to be.
pub const KEYS: &[Key] = &[
    key(
        "http_version",
        Kind::Word(&[
            word("1.1", "HTTP/1.1 (RFC 9112)"),
            word("2", "HTTP/2 (RFC 9113); without TLS by prior knowledge"),
        ]),
        "Version of HTTP; without it, over TLS as the server prefers (ALPN), else 1.1.",
    )
    .optional()
    .live()
    .flag("http-version", group::SERVICES),
    key(
        "connection",
        Kind::Word(&[
            word("new", "one for each request, with a full TLS handshake"),
            word("kept", "kept for further requests; one is opened where none is free"),
        ]),
        "Connections of requests over HTTP.",
    )
    .default("\"new\"", DESIGN)
    .live()
    .flag("connection", group::SERVICES),
    key(
        "ca_file",
        Kind::Text,
        "File of the authorities, or of the server's own certificate, that are trusted, in PEM; without it the system's.",
    )
    .optional()
    .live()
    .flag("ca-file", group::SERVICES),
    key("insecure", Kind::Flag, "Take any certificate of the server: the measurement is not secret, nor sure of its peer.")
        .default("false", DESIGN)
        .live()
        .flag("insecure", group::SERVICES),
    key("pin", Kind::Text, "The one certificate of the server that is taken: sha256:HEX.")
        .optional()
        .live()
        .flag("pin", group::SERVICES),
    key("method", Kind::Word(&[word("get", "without a body"), word("post", "with the body")]), "Method of requests.")
        .default("\"get\"", DESIGN)
        .live()
        .flag("method", group::SERVICES),
    key("header", Kind::Texts, "Header fields of requests: \"Accept: application/json\".")
        .optional()
        .live()
        .secret(Secrecy::Fields)
        .flag("header", group::SERVICES),
    key("body", Kind::Text, "Body of requests, which are POST then.")
        .optional()
        .live()
        .secret(Secrecy::Whole)
        .flag("body", group::SERVICES),
    key("status", Kind::Text, "Statuses that do not count as failures: \"200-299,401\"; without it those below 400.")
        .optional()
        .live()
        .flag("status", group::SERVICES),
    key("contains", Kind::Text, "Text that the first MiB of an answer has to contain, else it is a failure.")
        .optional()
        .live()
        .flag("contains", group::SERVICES),
];
