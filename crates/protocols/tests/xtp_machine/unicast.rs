//! Two hosts without loss: set-up, transfer, reports, the graceful close.

use sojourn_core::Duration;

use super::network::*;

#[test]
fn a_short_association_reads_as_the_standard_tells_it() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"hello");
    network.pass(Duration::from_millis(10));
    network.write(0, context, b"good morning!", true);
    network.close(0, context);
    network.pass(Duration::from_secs(1));
    assert_eq!(
        network.log,
        [
            "A FIRST 0+5",
            "B accepts",
            "B delivers 5",
            "B TCNTL 5",
            "A is heard",
            "A DATA 5+10",
            "A DATA 15+3",
            "A CNTL 0 SREQ WCLOSE",
            "B delivers 10",
            "B CNTL 15",
            "B delivers 3",
            "B CNTL 18",
            "B is heard",
            "B end of stream",
            "B CNTL 18 RCLOSE",
            "B CNTL 18 SREQ WCLOSE RCLOSE",
            "A end of stream",
            "A CNTL 0 WCLOSE RCLOSE END",
            "A closed",
            "B CNTL 18 WCLOSE RCLOSE END",
            "B closed",
        ]
    );
    assert_eq!(network.seen(1, 0).bytes, b"hellogood morning!");
    assert_eq!(network.seen(1, 0).messages, [18]);
}
