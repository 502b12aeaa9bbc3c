//! Information sent: windows, fragments, the send queue, retransmission.

use sojourn_protocols::netrom::machine::*;

use super::network::*;

fn open(change: impl FnOnce(&mut Transport)) -> (Network, CircuitId) {
    let mut settings = Settings::linux();
    change(&mut settings.transport);
    let mut network = Network::pair(settings);
    let circuit = network.connect(0, 1);
    network.settle();
    network.log.clear();
    (network, circuit)
}

#[test]
fn a_message_of_256_octets_is_fragmented_into_236_and_20_and_reassembled() {
    let (mut network, circuit) = open(|_| {});
    let message = "x".repeat(256);
    network.send(0, circuit, &message);
    assert_eq!(network.log, ["A information 0,0 more", "A information 1,0"]);
    network.settle();
    assert_eq!(network.delivered[1], [message.into_bytes()]);
}

#[test]
fn at_most_a_window_of_packets_is_in_flight() {
    let (mut network, circuit) = open(|t| t.window = 4);
    for _ in 0..6 {
        network.send(0, circuit, "x");
    }
    assert_eq!(network.count("A information"), 4);
    network.settle();
    assert_eq!(network.delivered[1].len(), 6);
}

#[test]
fn a_full_circuit_accepts_no_message_until_it_has_room() {
    let (mut network, circuit) = open(|t| t.send_queue_limit = 4);
    // the second is accepted while one is queued, and both its fragments count
    network.send(0, circuit, "x");
    network.send(0, circuit, &"x".repeat(600));
    assert!(!network.nodes[0].has_room(circuit));
    assert_eq!(network.nodes[0].outstanding(circuit), 4);
    network.send(0, circuit, "y");
    assert_eq!(network.log.last().unwrap(), "A refused: the send queue of the circuit is full at 4 packets");
    network.settle();
    assert!(network.nodes[0].has_room(circuit));
    assert_eq!(network.count("A has room"), 1);
    assert_eq!(network.delivered[1].len(), 2);
}

#[test]
fn nak_requests_one_missing_packet_and_only_that_is_retransmitted() {
    for ask in [NakPolicy::Immediate, NakPolicy::WithAcknowledgement] {
        let (mut network, circuit) = open(|t| t.nak = ask);
        network.lose = vec![network.sent + 1];
        for text in ["a", "b", "c", "d"] {
            network.send(0, circuit, text);
        }
        network.settle();
        assert_eq!(network.delivered[1], [b"a", b"b", b"c", b"d"]);
        assert_eq!(network.count("A information"), 5, "{:#?}", network.log);
        assert_eq!(network.count("B information acknowledge 1 nak"), 1, "{:#?}", network.log);
        assert_eq!(network.nodes[0].counters().get(Counter::Timeouts), 0);
    }
}

#[test]
fn a_node_without_reordering_needs_everything_retransmitted() {
    let (mut network, circuit) = open(|t| {
        t.buffers_out_of_order = false;
        t.nak = NakPolicy::Never;
    });
    network.lose = vec![network.sent];
    for text in ["a", "b", "c"] {
        network.send(0, circuit, text);
    }
    network.settle();
    assert_eq!(network.delivered[1], [b"a", b"b", b"c"]);
    assert_eq!(network.count("A information"), 6, "all three once more");
}

#[test]
fn after_a_timeout_all_packets_or_the_oldest_are_retransmitted() {
    for (repeat, again) in [(Retransmit::All, ["0,0", "1,0", "2,0"].as_slice()), (Retransmit::Oldest, &["0,0"])] {
        let (mut network, circuit) = open(|t| t.retransmit = repeat);
        // the acknowledgement is lost
        network.lose = vec![network.sent + 3];
        for text in ["a", "b", "c"] {
            network.send(0, circuit, text);
        }
        network.settle();
        let resent: Vec<&str> =
            network.log.iter().filter_map(|line| line.strip_prefix("A information ")).skip(3).collect();
        assert_eq!(resent, again);
        assert_eq!(network.delivered[1].len(), 3, "and nothing is delivered twice");
    }
}

#[test]
fn a_circuit_whose_information_is_never_acknowledged_fails() {
    let (mut network, circuit) = open(|t| t.retries = 2);
    network.lose = (network.sent..network.sent + 9).collect();
    network.send(0, circuit, "a");
    network.settle();
    assert_eq!(network.count("A information 0,0, lost"), 3);
    assert_eq!(network.log.last().unwrap(), "A disconnected (NoResponse), 1 lost");
}

#[test]
fn sequence_numbers_wrap_with_either_modulus() {
    for modulus in [Modulus::OneHundredTwentyEight, Modulus::TwoHundredFiftySix] {
        let (mut network, circuit) = open(|t| t.modulus = modulus);
        for number in 0..300 {
            network.send(0, circuit, &number.to_string());
            network.settle();
        }
        let expected: Vec<Bytes> = (0..300).map(|number| number.to_string().into_bytes()).collect();
        assert_eq!(network.delivered[1], expected);
        let largest = format!("A information {},0", modulus.largest());
        assert_eq!(network.count(&largest), 300 / (usize::from(modulus.largest()) + 1), "{largest}");
    }
}
