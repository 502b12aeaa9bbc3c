//! `$kind` from a scenario: closed forms and invariants.

use sojourn_$module::NETWORKS;
use sojourn_model::testing::value;

#[test]
fn a_server_with_random_arrivals_has_the_response_time_of_an_m_m_1_queue() {
    let metrics = NETWORKS.metrics(&NETWORKS.template("$kind"), &[("run.duration", "1 h")]);
    // 10 ms of service at a load of 0.8: 10 ms / (1 - 0.8)
    let mean = value(&metrics, "response_time", "mean");
    assert!((0.045..0.055).contains(&mean), "{mean}");
    assert!((0.78..0.82).contains(&value(&metrics, "utilisation", "value")));
}
