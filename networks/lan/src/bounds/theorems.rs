//! The theorems behind the bounds of outputs.

use sojourn_bounds::report::Theorem;

/// FIFO, with controlled delay or without.
pub const FIFO: Theorem = Theorem {
    name: "in order of arrival, of what is in flight",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.2",
};
/// What a queue holds.
pub const IN_QUEUE: Theorem = Theorem {
    name: "no more than comes in the longest delay, than is in flight, and than the limit",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.1",
};
/// Deficit round robin.
pub const ROUND_ROBIN: Theorem = Theorem {
    name: "deficit round robin as a rate-latency server",
    source: "Shreedhar and Varghese 1996; Stiliadis and Varma 1998",
};
/// FQ-CoDel.
pub const FLOW_QUEUING: Theorem = Theorem {
    name: "flow queuing as a rate-latency server: a rival has a turn as an old flow and one as a new flow",
    source: "RFC 8290, section 4; derived in decision 0049",
};
/// HTB.
pub const GUARANTEED_RATE: Theorem = Theorem {
    name: "a class's guaranteed rate as a rate-latency server, after the classes within theirs",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.6; derived in decision 0049",
};
/// Strict priority.
pub const STRICT_PRIORITY: Theorem = Theorem {
    name: "what higher classes leave, after a packet of those below",
    source: "Le Boudec and Thiran, Network Calculus, 2001, corollary 6.2.1",
};
/// PLCA.
pub const TURNS: Theorem = Theorem {
    name: "a turn in each cycle of PLCA, of which every other node uses all of its turn: a round-robin server",
    source: "IEEE 802.3cg, clause 148; Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.2",
};
