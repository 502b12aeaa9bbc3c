//! Keys of a device: address, timers, costs.

use super::{ASSUMED, BACNET_STACK, STANDARD};
use sojourn_scenario::keys::common::{PROFILE, SPAN};
use sojourn_scenario::keys::laws::time_or_law;
use sojourn_scenario::keys::{Bounds, Key, Kind, between, key, time, word};

/// A timer of the protocol machine.
const TIMER: Bounds = between("1 ms", "1 h");

const TIMERS: &[Key] = &[
    key("usage_timeout", time(TIMER), "T_usage_timeout: wait for the use of a token that was passed, or for the reply to Poll For Master; 20 to 35 ms, before 135-2016bm to 100 ms.")
        .default("\"35 ms\"", BACNET_STACK),
    key("vacant_timeout", time(between("0 s", "1 h")), "The wait after Poll For Master to an address without a device, where it is known to be vacant; by default `usage_timeout`.")
        .optional(),
    key("reply_timeout", time(TIMER), "T_reply_timeout: wait for the reply to a request, 255 to 300 ms; bacnet-stack has 250 ms.")
        .default("\"255 ms\"", STANDARD),
    key("reply_delay", time(TIMER), "T_reply_delay: the latest beginning of a reply, after which it is postponed; at most 250 ms.")
        .default("\"245 ms\"", BACNET_STACK),
    key("no_token", time(TIMER), "T_no_token: silence after which the token counts as lost.")
        .default("\"500 ms\"", STANDARD),
    key("slot", time(TIMER), "T_slot: the interval of each address in which it may generate a token.")
        .default("\"10 ms\"", STANDARD),
    key("poll", Kind::Integer(2, 1000), "N_poll: tokens between two sweeps of the addresses up to the successor.")
        .default("50", STANDARD),
    key("retry_token", Kind::Integer(0, 100), "N_retry_token: repetitions of a token that is not used.")
        .default("1", STANDARD),
];

const COSTS: &[Key] = &[
    key(
        "token_latency",
        time_or_law(SPAN),
        "From the last character of a frame to the first of the node's own: token, Poll For Master, reply; at least the turnaround. Or its distribution.",
    )
    .default("\"2 ms\"", ASSUMED),
    key(
        "reply_latency",
        time_or_law(SPAN),
        "From the last character of a request until its reply is ready, or its distribution.",
    )
    .default("\"10 ms\"", ASSUMED),
    key("reply_per_property", time(SPAN), "Added to it for each property that is asked for.")
        .default("\"0 s\"", ASSUMED),
    key("forward", time(SPAN), "Router: from the last character of a packet until it is queued for the next medium.")
        .default("\"1 ms\"", ASSUMED),
];

/// Keys of `[[station]]` beside name, count and media.
pub const KEYS: &[Key] = &[
    PROFILE,
    key(
        "type",
        Kind::Word(&[
            word("master", "takes part in passing the token, address 0 to 127"),
            word("slave", "answers only, address 0 to 254"),
        ]),
        "Whether it is a master or a slave.",
    )
    .default("\"master\"", STANDARD),
    key(
        "address",
        Kind::Integer(0, 254),
        "MAC address on its trunks, of several members that of the first; by default after the highest of the stations before it on the trunk, of slaves from 128 on.",
    )
    .optional(),
    key("address_step", Kind::Integer(1, 127), "Distance between the addresses of its members.").default("1", ASSUMED),
    key("max_info_frames", Kind::Integer(1, 255), "Max_Info_Frames: frames that it sends for each token.")
        .default("1", STANDARD),
    key("max_master", Kind::Integer(1, 127), "Max_Master: the highest address that it polls.")
        .default("127", STANDARD),
    key(
        "reply",
        Kind::Word(&[
            word("immediate", "as soon as it is ready; postponed where that takes longer than T_reply_delay"),
            word("postpone", "Reply Postponed at once; the reply follows with its token"),
            word("late", "Reply Postponed at the end of T_reply_delay; the reply follows with its token"),
        ]),
        "How it replies to requests.",
    )
    .default("\"immediate\"", ASSUMED),
    key(
        "timer_resolution",
        time(between("0 s", "1 s")),
        "Its timers are looked at so often; 0 s: at once. The standard's nominal resolution is 5 ms.",
    )
    .default("\"0 s\"", ASSUMED),
    key("timers", Kind::Table(TIMERS), "Timers and counts of the protocol.").default("{}", STANDARD),
    key("costs", Kind::Table(COSTS), "How long it takes for each step.").default("{}", ASSUMED),
];
