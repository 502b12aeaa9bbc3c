//! Each part alone, against what can be said of it in closed form.

use super::{run, throughput, value};

const CYCLE: f64 = 64e-9;

#[test]
fn a_saturated_writer_alone_reaches_the_bandwidth_of_its_transaction() {
    for (transaction, megabytes) in [
        ("longword-write", 31.25),
        ("quadword-write", 62.5),
        ("octaword-write", 250.0 / 3.0),
        ("hexaword-write", 100.0),
    ] {
        let edits =
            [("traffic.direction", "none"), ("bus.commanders", "1"), ("bus.commander_transaction", transaction)];
        let metrics = run(&edits);
        let found = value(&metrics, "throughput", "value") / 8e6;
        assert!((found / megabytes - 1.0).abs() < 0.001, "{transaction}: {found} MB/s");
        assert!(value(&metrics, "utilisation/bus", "value") > 0.999);
    }
}

#[test]
fn fourteen_writers_wait_for_thirteen_others() {
    let metrics = run(&[("traffic.direction", "none"), ("bus.commanders", "14")]);
    // the request is raised at the grant of the one before: 14 transactions of 5 cycles later is the next
    let wait = (14.0 * 5.0 - 1.0) * CYCLE;
    assert!((value(&metrics, "bus_wait/others", "min") - wait).abs() < 1e-12);
    assert!((value(&metrics, "bus_wait/others", "max") - wait).abs() < 1e-12);
}

fn readers(count: &str, interleave: &str, access: &str) -> f64 {
    throughput(&[
        ("traffic.direction", "none"),
        ("bus.commander_transaction", "hexaword-read"),
        ("bus.commanders", count),
        ("bus.interleave", interleave),
        ("bus.memory_access", access),
    ])
}

#[test]
fn memory_alone_gives_one_reader_a_hexaword_every_7_cycles_and_its_access() {
    for (access, cycles) in [("7", 14.0), ("23", 30.0)] {
        let expected = 256.0 / (cycles * CYCLE) / 1e6;
        assert!((readers("1", "4", access) / expected - 1.0).abs() < 0.001);
    }
}

#[test]
fn memory_alone_gives_many_readers_a_hexaword_per_access_time_of_each_bank() {
    for (banks, per_access) in [("1", 1.0), ("2", 2.0)] {
        let expected = per_access * 256.0 / (23.0 * CYCLE) / 1e6;
        assert!((readers("14", banks, "23") / expected - 1.0).abs() < 0.001, "{banks}");
    }
}

#[test]
fn the_ring_memory_controller_alone_takes_dataless_frames_at_full_rate() {
    let edits = [("traffic.stages", "ring-memory-controller"), ("traffic.frame_size", "20 B")];
    let metrics = run(&edits);
    assert!(value(&metrics, "throughput", "value") > 99.9e6);
    assert_eq!(value(&metrics, "drops", "value"), 0.0);
    let mean = value(&metrics, "response_time", "mean");
    assert!((mean - 2.2e-6).abs() < 1e-12, "residue and parser: {mean}");
}

#[test]
fn the_ring_memory_controller_alone_sends_back_to_back() {
    let edits = [("traffic.stages", "ring-memory-controller"), ("traffic.direction", "transmit")];
    assert!(throughput(&edits) > 99.9);
}

#[test]
fn a_ring_memory_controller_slower_than_the_ring_overflows_its_fifo() {
    let edits = [
        ("traffic.stages", "ring-memory-controller"),
        ("traffic.frame_size", "1518 B"),
        ("adapter.burst_time", "3 µs"),
        ("adapter.ring_memory_latency", "4 µs"),
    ];
    let metrics = run(&edits);
    assert!(value(&metrics, "drops/receive-fifo", "value") > 0.0);
    assert_eq!(value(&metrics, "queue_length/receive-fifo", "max"), 16.0);
}

#[test]
fn the_host_interface_alone_writes_a_hexaword_in_5_cycles() {
    let edits = [("traffic.stages", "host-interface"), ("traffic.frame_size", "4096 B")];
    // 128 hexawords, a cycle to begin, and 8 bytes that count and are not written
    let expected = 8.0 * 4104.0 / ((128.0 * 5.0 + 1.0) * CYCLE) / 1e6;
    let found = throughput(&edits);
    assert!((found / expected - 1.0).abs() < 0.01, "{found}, not {expected}");
}

#[test]
fn the_host_interface_alone_reads_at_the_ceiling_that_outstanding_reads_set() {
    let reads = |configuration, outstanding| {
        let edits = [
            ("traffic.stages", "host-interface"),
            ("traffic.direction", "transmit"),
            ("traffic.frame_size", "4096 B"),
            ("bus.configuration", configuration),
            ("adapter.outstanding_reads", outstanding),
        ];
        throughput(&edits)
    };
    for (configuration, cycles) in [("cpu", 14.0), ("io", 30.0)] {
        let expected = 8.0 * 4104.0 / (128.0 * cycles * CYCLE) / 1e6;
        let found = reads(configuration, "1");
        assert!((found / expected - 1.0).abs() < 0.02, "{configuration}: {found}, not {expected}");
    }
    // two reads meet on the bus now and then
    let ratio = reads("io", "2") / reads("io", "1");
    assert!((1.7..2.0).contains(&ratio), "{ratio}");
}
