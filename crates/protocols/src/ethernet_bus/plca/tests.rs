//! A node alone on the wire, by the arithmetic of the clause.

use super::*;

const RATE: u64 = 10_000_000;
/// A frame of 64 octets with preamble and end delimiter, bits.
const FRAME: u32 = 64 + 512 + 8;

fn bits(now: Time) -> u64 {
    now.picoseconds() / 100_000
}

fn at(bits: u64) -> Time {
    Time::from_picoseconds(bits * 100_000)
}

/// Drains the outputs of a node that hears itself alone.
fn drain(node: &mut Plca, now: Time, found: &mut Vec<(u64, Output)>) {
    while let Some(output) = node.poll_output() {
        found.push((bits(now), output));
        match output {
            Output::Transmit(_) => node.handle(now, Input::CarrierSense(true)),
            Output::Silence => node.handle(now, Input::CarrierSense(false)),
            _ => {}
        }
    }
}

/// What a node does from one instant, of bit times, to another.
fn run(node: &mut Plca, from: u64, until: u64) -> Vec<(u64, Output)> {
    let mut found = Vec::new();
    drain(node, at(from), &mut found);
    while let Some(now) = node.next_wakeup().filter(|now| *now <= at(until)) {
        node.wake(now);
        drain(node, now, &mut found);
    }
    found
}

fn when(found: &[(u64, Output)], wanted: Output) -> Vec<u64> {
    found.iter().filter(|(_, output)| *output == wanted).map(|(at, _)| *at).collect()
}

#[test]
fn cycles_have_the_bits_of_the_table_of_the_brief() {
    let full = |nodes: u8, octets: u32| {
        let settings = Settings::new(RATE, 0, nodes);
        (cycle(&settings, std::iter::empty()), cycle(&settings, (0..nodes).map(|_| octets)))
    };
    assert_eq!(full(4, 64), (148, 2_740));
    assert_eq!(full(8, 64), (276, 5_460));
    assert_eq!(full(8, 1518), (276, 98_516));
    assert_eq!([64, 1518].map(opportunity), [680, 12_312]);
}

#[test]
fn node_0_sends_a_beacon_of_20_bits_every_20_and_32_for_each_node() {
    for (nodes, cycle) in [(4, 148), (8, 276)] {
        let found = run(&mut Plca::new(Settings::new(RATE, 0, nodes), Time::ZERO), 0, 2000);
        let beacons = when(&found, Output::Transmit(Signal::Beacon));
        // it recovers first: a cycle without a beacon
        assert_eq!(beacons[..3], [0, 1, 2].map(|number| u64::from(nodes) * 32 + number * cycle));
        assert_eq!(when(&found, Output::Cycle)[..2], [beacons[0] + 20, beacons[1] + 20]);
    }
}

#[test]
fn a_frame_that_starts_before_the_turn_is_held_until_then() {
    let mut node = Plca::new(Settings::new(RATE, 0, 8), Time::ZERO);
    run(&mut node, 0, 399);
    // the cycle from 276 on: turns of node 0 at 276, 552
    node.handle(at(400), Input::Start(FRAME));
    let found = run(&mut node, 400, 1500);
    assert_eq!(when(&found, Output::Transmit(Signal::Commit)), [552]);
    assert_eq!(when(&found, Output::Transmit(Signal::Data)), [552]);
    // the beacon at 532, the one after the frame, and the end of the frame itself
    let ends = when(&found, Output::Silence);
    assert!(ends.contains(&(552 + u64::from(FRAME))), "{ends:?}");
}

#[test]
fn a_full_delay_line_is_a_collision_to_the_mac_and_the_frame_goes_at_a_later_turn_after_a_commit() {
    let mut node = Plca::new(Settings::new(RATE, 0, 40), Time::ZERO);
    run(&mut node, 0, 1310);
    // the turn of node 0 begins at 1300
    node.handle(at(1310), Input::Start(FRAME));
    let found = run(&mut node, 1310, 1310 + 396);
    assert_eq!(when(&found, Output::MacCollision), [1310 + 396]);
    run(&mut node, 1706, 1738);
    node.handle(at(1738), Input::Jammed);
    let found = run(&mut node, 1738, 2695);
    let commit = 1300 + 1300;
    assert_eq!(when(&found, Output::Transmit(Signal::Commit)), [commit]);
    assert_eq!(when(&found, Output::MacCarrier(false)), [commit]);
    node.handle(at(commit + 96), Input::Start(FRAME));
    let found = run(&mut node, commit + 96, commit + 800);
    assert_eq!(when(&found, Output::Transmit(Signal::Data)), [commit + 96]);
    assert!(when(&found, Output::Silence).contains(&(commit + u64::from(opportunity(64)))));
}

#[test]
fn a_node_without_beacons_does_without_plca_and_returns_with_them() {
    let mut node = Plca::new(Settings::new(RATE, 3, 8), Time::ZERO);
    let found = run(&mut node, 0, 200_000);
    assert_eq!(when(&found, Output::Status(false)), [130_090]);
    node.handle(at(200_000), Input::Start(FRAME));
    assert_eq!(node.poll_output(), Some(Output::Transmit(Signal::Data)));
    node.wake(at(200_000 + u64::from(FRAME)));
    node.handle(at(201_000), Input::CarrierSense(true));
    node.handle(at(201_000), Input::Receive(Some(Signal::Beacon)));
    let outputs: Vec<Output> = std::iter::from_fn(|| node.poll_output()).collect();
    assert!(outputs.contains(&Output::Status(true)), "{outputs:?}");
}

#[test]
fn a_burst_goes_on_after_a_gap_in_which_the_node_commits() {
    let mut node = Plca::new(Settings { max_bc: 1, ..Settings::new(RATE, 0, 8) }, Time::ZERO);
    run(&mut node, 0, 399);
    node.handle(at(400), Input::Start(FRAME));
    let end = 552 + u64::from(FRAME);
    let found = run(&mut node, 400, end);
    assert_eq!(when(&found, Output::Transmit(Signal::Commit)), [552, end]);
    node.handle(at(end + 96), Input::Start(FRAME));
    let found = run(&mut node, end + 96, end + 96 + u64::from(FRAME));
    assert_eq!(when(&found, Output::Transmit(Signal::Data)), [end + 96]);
    assert_eq!(when(&found, Output::Silence), [end + 96 + u64::from(FRAME)]);
}
