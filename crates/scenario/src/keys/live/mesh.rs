//! Keys of `[mesh]` and `[[agent]]`: agents that measure each other, as `sojourn mesh` has them do. Windows, alerts and what is
//! kept are those of `[monitor]`.

use super::monitor::{DSCP, TIMEOUT};
use super::{DESIGN, group};
use crate::keys::{Key, Kind, Secrecy, Shape, TableKeys, between, common, key};
use crate::quantity::Dimension;

/// Name of the table of what all pairs have in common.
pub const TABLE: &str = "mesh";
/// Name of the list of agents.
pub const AGENTS: &str = "agent";

/// `[mesh]`: how each agent measures each other.
pub const MESH: TableKeys = TableKeys {
    name: TABLE,
    shape: Shape::One,
    keys: &[&[
        key(
            "rate",
            Kind::Quantity(Dimension::Rate, between("1 /min", "1000 /s")),
            "Requests per second of each agent to each other, open loop.",
        )
        .default("\"1 /s\"", DESIGN)
        .live()
        .flag("rate", group::ALL),
        key("size", Kind::Quantity(Dimension::Size, between("64 B", "65507 B")), "User data of a request.")
            .default("\"64 B\"", DESIGN)
            .live(),
        TIMEOUT,
        DSCP,
        key(
            "key_file",
            Kind::Text,
            "File of the key that all agents share, mode 0600 or 0440; without it: $SOJOURN_KEY.",
        )
        .optional()
        .secret(Secrecy::File)
        .live()
        .flag("key-file", group::ALL),
    ]],
    help: "Agents that measure each other (`sojourn mesh`): the requests of each to each other.",
};

/// `[[agent]]`: one of them.
pub const AGENT: TableKeys = TableKeys {
    name: AGENTS,
    shape: Shape::Many,
    keys: &[&[
        Key { world: crate::keys::ObeyedBy::Live, ..common::NAME },
        key(
            "address",
            Kind::Text,
            "Address of the agent, HOST or HOST:PORT, by which the coordinator and the other agents reach it.",
        )
        .live(),
    ]],
    help: "An agent that measures all others and is measured by them: `sojourn agent --measures NETWORK` there.",
};
