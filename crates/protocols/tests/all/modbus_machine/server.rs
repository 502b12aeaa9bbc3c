//! What a server carries out, when it answers, and what it does not hear.

use super::*;
use sojourn_protocols::modbus::BROADCAST;

fn memory(delay_ms: u64) -> Memory {
    let mut memory = Memory::new(Some(1), 100);
    memory.delay = Duration::from_millis(delay_ms);
    memory
}

fn ask(server: &mut Server<Memory>, now: u64, unit: u8, transaction: u16, pdu: &[u8]) {
    server.handle(at(now), Indication { connection: 4, transaction, unit, request: pdu.to_vec() });
}

fn answers(server: &mut Server<Memory>) -> Vec<(u16, Vec<u8>)> {
    outputs(server).into_iter().map(|reply| (reply.transaction, reply.response)).collect()
}

#[test]
fn a_server_answers_after_its_delay() {
    let mut server = Server::new(Carrier::Serial, memory(5));
    ask(&mut server, 10, 1, 0, &[6, 0, 9, 0, 7]);
    assert_eq!((answers(&mut server).len(), server.next_wakeup()), (0, Some(at(15))));
    server.wake(at(15));
    assert_eq!(answers(&mut server), [(0, vec![6, 0, 9, 0, 7])]);
    assert_eq!((server.device().holding_registers[9], server.next_wakeup()), (7, None));
}

#[test]
fn a_server_obeys_a_broadcast_silently_and_does_not_hear_other_units() {
    let mut server = Server::new(Carrier::Serial, memory(5));
    ask(&mut server, 0, 2, 0, &[6, 0, 9, 0, 7]);
    assert!(!server.is_busy());
    ask(&mut server, 0, BROADCAST, 0, &[6, 0, 9, 0, 7]);
    assert!(server.is_busy());
    server.wake(at(5));
    assert_eq!(answers(&mut server), []);
    assert_eq!(server.device().holding_registers[9], 7);
}

#[test]
fn on_a_line_a_server_misses_a_request_that_comes_while_it_is_busy() {
    let mut server = Server::new(Carrier::Serial, memory(50));
    ask(&mut server, 0, 1, 0, &[3, 0, 0, 0, 1]);
    ask(&mut server, 20, 1, 0, &[3, 0, 0, 0, 1]);
    server.wake(at(50));
    assert_eq!((answers(&mut server).len(), server.missed(), server.next_wakeup()), (1, 1, None));
}

#[test]
fn on_tcp_requests_wait_and_one_too_many_is_refused_as_busy() {
    let mut server = Server::new(Carrier::Tcp { outstanding: 1 }, memory(50));
    (1..=3).for_each(|transaction| ask(&mut server, transaction, 1, transaction as u16, &[3, 0, 0, 0, 1]));
    assert_eq!(answers(&mut server), [(3, vec![0x83, 6])]);
    server.wake(at(51));
    assert_eq!((answers(&mut server), server.next_wakeup()), (vec![(1, vec![3, 2, 0, 0])], Some(at(101))));
    server.wake(at(101));
    assert_eq!(answers(&mut server), [(2, vec![3, 2, 0, 0])]);
}

#[test]
fn a_server_without_delay_answers_all_that_wait_at_once() {
    let mut server = Server::new(Carrier::Tcp { outstanding: 8 }, memory(0));
    (1..=3).for_each(|transaction| ask(&mut server, 7, 1, transaction, &[3, 0, 0, 0, 1]));
    server.wake(at(7));
    assert_eq!(answers(&mut server).len(), 3);
}

#[test]
fn a_request_that_cannot_be_carried_out_is_refused_with_its_exception() {
    let mut server = Server::new(Carrier::Serial, memory(0));
    for (pdu, exception) in [
        (&[3u8, 0, 99, 0, 2][..], [0x83, 2]),
        (&[3, 0, 0, 0, 200], [0x83, 3]),
        (&[0x2b, 14, 1, 0], [0xab, 1]),
        (&[16, 0, 0, 0, 1, 2, 0], [0x90, 3]),
        (&[], [0x80, 3]),
    ] {
        ask(&mut server, 0, 1, 0, pdu);
        server.wake(at(0));
        assert_eq!(answers(&mut server), [(0, exception.to_vec())], "{pdu:?}");
    }
}

#[test]
fn a_reset_server_has_forgotten_its_requests() {
    let mut server = Server::new(Carrier::Tcp { outstanding: 9 }, memory(50));
    ask(&mut server, 0, 1, 1, &[3, 0, 0, 0, 1]);
    ask(&mut server, 0, 1, 2, &[3, 0, 0, 0, 1]);
    assert_eq!(server.waiting(), 1);
    server.reset();
    server.wake(at(500));
    assert_eq!((answers(&mut server).len(), server.waiting(), server.is_busy()), (0, 0, false));
}

/// Section 6.16 of the specification: 0x12 with AND 0xf2 and OR 0x25 becomes 0x17.
#[test]
fn every_function_changes_and_reads_its_table() {
    let mut memory = Memory::new(None, 100);
    memory.holding_registers[4] = 0x12;
    memory.discrete_inputs[3] = true;
    memory.input_registers[8] = 10;
    let mut apply = |request: Request| memory.apply(&request).unwrap();
    assert_eq!(
        apply(Request::MaskWrite { address: 4, and: 0xf2, or: 0x25 }),
        Response::MaskWrote { address: 4, and: 0xf2, or: 0x25 }
    );
    let table = Table::HoldingRegisters;
    assert_eq!(apply(Request::Read { table, address: 4, count: 1 }), Response::Registers { table, values: vec![0x17] });
    let write_then_read = Request::ReadWrite { read_address: 3, read_count: 3, write_address: 3, values: vec![1] };
    assert_eq!(apply(write_then_read), Response::ReadWrote { values: vec![1, 0x17, 0] });
    assert_eq!(apply(Request::WriteCoil { address: 1, on: true }), Response::WroteCoil { address: 1, on: true });
    let values = vec![true, false, true];
    assert_eq!(apply(Request::WriteCoils { address: 8, values }), Response::WroteCoils { address: 8, count: 3 });
    let table = Table::Coils;
    let read = Request::Read { table, address: 0, count: 11 };
    assert_eq!(apply(read), Response::Bits { table, octets: vec![2, 5] });
    let table = Table::DiscreteInputs;
    assert_eq!(apply(Request::Read { table, address: 2, count: 2 }), Response::Bits { table, octets: vec![2] });
    let table = Table::InputRegisters;
    assert_eq!(apply(Request::Read { table, address: 8, count: 1 }), Response::Registers { table, values: vec![10] });
}
