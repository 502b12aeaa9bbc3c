//! The bus to the cycle.

use super::*;

const NEVER_OBSERVED: [Time; 2] = [Time::ZERO, Time::ZERO];

fn idle() -> Bus {
    let [from, to] = NEVER_OBSERVED;
    Bus::new(from, to)
}

/// Lets the next arbitration happen: its instant and who is granted.
fn arbitrate(bus: &mut Bus, now: Time) -> (Time, Granted) {
    let at = bus.schedule(now).expect("somebody asks");
    (at, bus.arbitrate(at).expect("somebody is granted"))
}

/// Cycles from a request at an edge to the end of a write that drives this many.
fn write(driven: u64) -> u64 {
    let mut bus = idle();
    bus.command(3, true);
    let (at, granted) = arbitrate(&mut bus, edge(10));
    assert_eq!(granted, Granted::Commander(3));
    bus.drive(at, driven) - 10
}

/// Cycles from a read's request to the end of its answer.
fn read(access: u64) -> u64 {
    let (mut bus, mut memory) = (idle(), Memory::new(4, access, 16));
    bus.command(3, true);
    let (at, _) = arbitrate(&mut bus, edge(10));
    let (bank, ready) = memory.read(bus.drive(at, 1), ());
    memory.ready(bank);
    bus.respond(bank);
    let (at, granted) = arbitrate(&mut bus, edge(ready));
    assert_eq!(granted, Granted::Responder(bank));
    bus.drive(at, ANSWER_CYCLES) - 10
}

#[test]
fn an_idle_bus_takes_the_cycles_that_the_rules_add_up_to() {
    assert_eq!((write(5), write(3), write(2)), (6, 4, 3), "a grant, then command and data");
    assert_eq!((read(7), read(23)), (14, 30), "7 cycles and the memory's access");
}

#[test]
fn a_request_between_two_edges_waits_for_the_next_one() {
    let mut bus = idle();
    bus.command(0, true);
    assert_eq!(bus.schedule(edge(4) + Duration::from_picoseconds(1)), Some(edge(5)));
}

#[test]
fn fourteen_saturated_commanders_take_turns() {
    let mut bus = idle();
    let mut served = [0; 14];
    let mut now = edge(0);
    (0..14).for_each(|line| bus.command(line, true));
    for turn in 0..14 * 50 {
        let (at, granted) = arbitrate(&mut bus, now);
        let Granted::Commander(line) = granted else { panic!("no bank has data") };
        assert_eq!(line, turn % 14, "in the order of the lines");
        served[line as usize] += 1;
        bus.drive(at, 1 + u64::from(line) % 5);
        bus.command(line, true);
        now = at;
    }
    assert_eq!(served, [50; 14]);
}

#[test]
fn an_answer_goes_before_commands_that_asked_earlier() {
    let mut bus = idle();
    (0..14).for_each(|line| bus.command(line, true));
    let at = bus.schedule(edge(0)).expect("commanders ask");
    // in the instant of the arbitration a memory bank requests, too
    bus.respond(2);
    assert_eq!(bus.arbitrate(at), Some(Granted::Responder(2)));
    bus.drive(at, ANSWER_CYCLES);
    let (_, granted) = arbitrate(&mut bus, at);
    assert_eq!(granted, Granted::Commander(0));
}

#[test]
fn a_transfer_holds_the_bus_to_its_last_cycle() {
    let mut bus = idle();
    bus.command(0, true);
    let (at, _) = arbitrate(&mut bus, edge(0));
    assert_eq!(bus.drive(at, 5), 6, "it drives cycles 1 to 5");
    bus.respond(0);
    // asked in cycle 2, the arbitration is in cycle 5, and the answer follows without a cycle between
    let (at, _) = arbitrate(&mut bus, edge(2));
    assert_eq!(at, edge(5));
    assert_eq!(bus.drive(at, ANSWER_CYCLES), 10);
}

#[test]
fn suppressed_commanders_wait_and_answers_do_not() {
    let mut bus = idle();
    bus.suppress(true);
    bus.command(0, true);
    assert_eq!(bus.schedule(edge(0)), None);
    bus.respond(1);
    let (at, granted) = arbitrate(&mut bus, edge(0));
    assert_eq!(granted, Granted::Responder(1));
    bus.drive(at, ANSWER_CYCLES);
    bus.suppress(false);
    assert_eq!(arbitrate(&mut bus, at).1, Granted::Commander(0));
}

#[test]
fn memory_banks_work_in_parallel_and_each_serves_one_hexaword_at_a_time() {
    let mut memory = Memory::new(2, 7, 16);
    let ready: Vec<_> = (0..4).map(|reader| memory.read(100, reader)).collect();
    assert_eq!(ready, [(0, 107), (1, 107), (0, 114), (1, 114)]);
    memory.ready(0);
    memory.ready(0);
    assert_eq!((memory.answer(0), memory.answer(0)), ((0, true), (2, false)), "in the order of the reads");
}

#[test]
fn full_memory_suppresses_commands() {
    let mut memory = Memory::new(1, 7, 2);
    memory.read(0, ());
    assert!(!memory.is_full());
    memory.read(0, ());
    assert!(memory.is_full());
}
