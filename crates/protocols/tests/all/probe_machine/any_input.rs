//! Arbitrary input.

use proptest::prelude::*;
use sojourn_protocols::probe::server::fuzz;

/// One step of a dialogue, as the fuzz target reads it: likely kinds, few peers and tokens, any body.
fn step() -> impl Strategy<Value = Vec<u8>> {
    let head = (0u8..60, 0u8..3, 0u8..2, 0u8..5, 0u8..4, any::<u8>(), 0u8..8);
    let said = (1u8..18, any::<u8>(), proptest::collection::vec(prop_oneof![Just(0u8), any::<u8>()], 78));
    (head, said).prop_map(|((wait, host, port, token, high, low, stream), (kind, sequence, body))| {
        [&[wait, host, port, token, high, low, stream & 1, 0, kind, sequence][..], &body].concat()
    })
}

proptest! {
    #[test]
    fn the_agent_keeps_to_its_rules(steps in proptest::collection::vec(step(), 0..80)) {
        fuzz::dialogue(&steps.concat());
    }
}
