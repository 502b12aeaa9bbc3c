//! What holds for any queue, any links and any traffic.

use proptest::prelude::*;

use super::super::cake::{CakeSettings, Carrier, Compensation, Headers, Isolation, Tins};
use super::super::settings::{CeThreshold, ControlledDelay, DualPi2Settings, Measure, Overflow, Overload, PieSettings};
use super::*;
use crate::fabric::{Delivered, LinkChange};

fn any_discipline() -> impl Strategy<Value = Discipline> {
    let delay = ControlledDelay {
        target: Duration::from_millis(1),
        interval: Duration::from_millis(4),
        ecn: false,
        ce_threshold: None,
    };
    let bucket = |rate| Shaping { rate, burst: 1500 };
    let limit = Limit { packets: 9, octets: u64::MAX };
    prop_oneof![
        Just(Discipline::Fifo),
        Just(Discipline::Codel(delay)),
        Just(Discipline::Drr { quantum: 300, flow_limit: limit, overflow: Overflow::Longest }),
        Just(Discipline::Drr { quantum: 1500, flow_limit: Limit::NONE, overflow: Overflow::Arriving }),
        Just(Discipline::FqCodel { quantum: 1514, queues: None, delay }),
        Just(Discipline::FqCodel { quantum: 300, queues: Some(2), delay }),
        Just(Discipline::Priority { classes: [3, 3, 0, 0, 6, 6].into() }),
        Just(Discipline::FqCodel {
            quantum: 300,
            queues: None,
            delay: ControlledDelay {
                ecn: true,
                ce_threshold: Some(CeThreshold { wait: Duration::from_millis(1), ect1_only: true }),
                ..delay
            },
        }),
        any_pie().prop_map(Discipline::Pie),
        any_dualpi2().prop_map(Discipline::DualPi2),
        any_cake().prop_map(Discipline::Cake),
        Just(Discipline::Htb { quantum: 1500, guaranteed: bucket(1_000_000), ceil: bucket(20_000_000) }),
    ]
}

fn any_pie() -> impl Strategy<Value = PieSettings> {
    (0u64..20, any::<bool>()).prop_map(|(burst, ecn)| PieSettings {
        target: Duration::from_millis(1),
        update: Duration::from_millis(2),
        alpha: 10.0,
        beta: 100.0,
        burst: Duration::from_millis(burst),
        ecn,
    })
}

fn any_dualpi2() -> impl Strategy<Value = DualPi2Settings> {
    let overload = prop_oneof![Just(Overload::Drop), Just(Overload::Overflow)];
    (overload, 0u32..=100, 0u32..4, any::<bool>(), any::<bool>()).prop_map(
        |(overload, protection, step_length, at_enqueue, any_ect)| DualPi2Settings {
            target: Duration::from_millis(1),
            update: Duration::from_millis(2),
            alpha: 10.0,
            beta: 100.0,
            coupling: 2,
            step: Duration::from_micros(300),
            step_length,
            protection,
            overload,
            at_enqueue,
            any_ect,
        },
    )
}

fn any_cake() -> impl Strategy<Value = CakeSettings> {
    let tins = prop_oneof![Just(Tins::BestEffort), Just(Tins::DiffServ3), Just(Tins::DiffServ4), Just(Tins::DiffServ8)];
    let isolation = prop_oneof![
        Just(Isolation::FlowBlind),
        Just(Isolation::Hosts),
        Just(Isolation::Flows),
        Just(Isolation::DualSourceHost),
        Just(Isolation::TripleIsolate),
    ];
    let bandwidth = prop_oneof![Just(None), (1_000_000u64..80_000_000).prop_map(Some)];
    let headers =
        Headers { dscps: vec![0, 0, 8, 8, 46, 46], hosts: vec![[1, 9], [9, 1], [2, 9], [9, 2], [1, 8], [8, 1]] };
    (tins, isolation, bandwidth, 0u32..40).prop_map(move |(tins, isolation, bandwidth, overhead)| CakeSettings {
        bandwidth,
        compensation: Compensation { overhead: Some(overhead), minimum: 64, carrier: Carrier::Atm },
        tins,
        isolation,
        target: Duration::from_micros(500),
        interval: Duration::from_millis(10),
        headers: headers.clone().into(),
    })
}

/// Random early detection by octets, or none.
fn any_early() -> impl Strategy<Value = Option<EarlyDetection>> {
    let early = (1u32..20, any::<bool>(), any::<bool>()).prop_map(|(length, ecn, hard_drop)| EarlyDetection {
        weight: 0.25,
        mean_packet: 1000,
        measure: Measure::Octets,
        thresholds: [[1000 * length, 3000 * length]; 3],
        probability: 0.1,
        ecn,
        hard_drop,
    });
    prop_oneof![Just(None), early.prop_map(Some)]
}

/// A queue, what its link does, and datagrams: (microseconds after the one before, flow, octets).
#[derive(Clone, Debug)]
struct Case {
    queue: QueueSettings,
    loss: f64,
    jitter: Duration,
    unlimited: bool,
    traffic: Vec<(u64, u32, u32)>,
}

fn any_case() -> impl Strategy<Value = Case> {
    let limit = prop_oneof![
        Just(Limit::NONE),
        (1u32..40).prop_map(|packets| Limit { packets, octets: u64::MAX }),
        (1500u64..30_000).prop_map(|octets| Limit { packets: u32::MAX, octets }),
    ];
    let shaping = prop_oneof![
        Just(None),
        (1_000_000u64..80_000_000, 100u64..10_000).prop_map(|(rate, burst)| Some(Shaping { rate, burst })),
    ];
    let queue = (any_discipline(), limit, shaping, any_early()).prop_map(|(discipline, limit, shaping, early)| {
        let early = early.filter(|_| discipline == Discipline::Fifo);
        let shaping = shaping.filter(|_| !matches!(discipline, Discipline::Cake(_)));
        QueueSettings { discipline, limit, shaping, early }
    });
    let traffic = prop::collection::vec((0u64..400, 0u32..3, 28u32..4000), 1..150);
    let loss = prop_oneof![Just(0.0), Just(0.05)];
    let jitter = (0u64..300).prop_map(Duration::from_micros);
    (queue, loss, jitter, any::<bool>(), traffic).prop_map(|(queue, loss, jitter, unlimited, traffic)| Case {
        queue,
        loss,
        jitter,
        unlimited,
        traffic,
    })
}

/// The code point of a flow: one that understands nothing, a scalable and a classic one.
fn ecn(flow: u32) -> Ecn {
    [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0][flow as usize]
}

fn run(case: &Case) -> (Vec<FabricEvent>, Packets) {
    let topology = chain(2, 3, RATE, Duration::from_micros(40));
    let mut settings = settings(&topology, &case.queue);
    for port in &mut settings.ports[2..4] {
        let jitter = RandomTime::Uniform(Duration::ZERO, case.jitter);
        (port.link.loss, port.link.jitter, port.link.unlimited) = (case.loss, jitter, case.unlimited);
    }
    let mut packets = packets(&topology, &settings);
    let (mut now, mut happened) = (Time::ZERO, Vec::new());
    for (number, (gap, flow, octets)) in (0..).zip(&case.traffic) {
        now += Duration::from_micros(*gap);
        happened.extend(std::iter::from_fn(|| packets.advance(now)));
        packets.send(now, Frame { ecn: ecn(*flow), ..frame(number, *flow, *octets) });
    }
    happened.extend(drain(&mut packets));
    (happened, packets)
}

fn at(event: &FabricEvent) -> Time {
    match event {
        FabricEvent::Delivered(delivered) => delivered.at,
        FabricEvent::Lost { at, .. } | FabricEvent::RmCell { at, .. } => *at,
    }
}

proptest! {
    #[test]
    fn every_datagram_is_delivered_or_lost_once_and_nothing_stays_behind(case in any_case()) {
        let (happened, mut packets) = run(&case);
        let (arrived, gone) = (delivered(&happened), lost(&happened));
        let mut all: Vec<u32> = arrived.iter().chain(&gone).map(|(_, packet)| *packet).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..case.traffic.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!(packets.in_flight(), 0);
        prop_assert!(happened.is_sorted_by_key(at), "reported in order of time");
        let tally = packets.tally(happened.last().map_or(Time::ZERO, at));
        prop_assert_eq!(tally.connections.iter().map(|connection| connection.lost).sum::<u64>(), gone.len() as u64);
    }

    #[test]
    fn only_what_is_understood_is_marked_and_never_unmarked(case in any_case()) {
        let (happened, mut packets) = run(&case);
        let mut marks = 0;
        for event in &happened {
            let FabricEvent::Delivered(Delivered { frame, .. }) = event else { continue };
            let sent = ecn(frame.connection / 2);
            prop_assert!(frame.ecn == sent || frame.ecn == Ecn::Ce && sent != Ecn::NotEct, "{:?} as {:?}", sent, frame.ecn);
            marks += u64::from(frame.ecn != sent);
        }
        // a packet marked at one port may be lost at the next
        let tally = packets.tally(happened.last().map_or(Time::ZERO, at));
        prop_assert!(tally.ports.iter().map(|port| port.marked).sum::<u64>() >= marks);
    }

    #[test]
    fn datagrams_of_a_flow_that_stay_whole_arrive_in_the_order_in_which_they_were_sent(case in any_case()) {
        let mut case = case;
        case.traffic.iter_mut().for_each(|(_, _, octets)| *octets = (*octets).min(1500));
        let (happened, _) = run(&case);
        // what a classic queue has marked has low latency at the next hop, and may overtake its own flow (RFC 9331, 5.2)
        let flows = if matches!(case.queue.discipline, Discipline::DualPi2(_)) { 0..2 } else { 0..3 };
        for flow in flows {
            let mut of_flow = delivered(&happened).into_iter().map(|(_, packet)| packet);
            let sorted = of_flow.by_ref().filter(|packet| case.traffic[*packet as usize].1 == flow).is_sorted();
            prop_assert!(sorted, "flow {}", flow);
        }
    }

    #[test]
    fn a_link_that_goes_down_loses_all_that_waits_and_carries_on_when_it_is_up(case in any_case(), down in 0u64..20, up in 0u64..20) {
        let topology = chain(0, 3, RATE, Duration::ZERO);
        let mut packets = packets(&topology, &settings(&topology, &case.queue));
        let (mut now, mut happened) = (Time::ZERO, Vec::new());
        let mut changes = vec![(ms(down), false), (ms(down + up), true)].into_iter().peekable();
        for (number, (gap, flow, octets)) in (0..).zip(&case.traffic) {
            now += Duration::from_micros(*gap);
            while let Some((at, is_up)) = changes.next_if(|(at, _)| *at <= now) {
                happened.extend(std::iter::from_fn(|| packets.advance(at)));
                packets.change(at, 0, LinkChange::Up(is_up));
            }
            happened.extend(std::iter::from_fn(|| packets.advance(now)));
            packets.send(now, Frame { ecn: ecn(*flow), ..frame(number, *flow, *octets) });
        }
        // what waits at the end of a link that is up arrives
        happened.extend(drain(&mut packets));
        let mut all: Vec<u32> = delivered(&happened).iter().chain(&lost(&happened)).map(|(_, packet)| *packet).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..case.traffic.len() as u32).collect::<Vec<_>>());
        prop_assert_eq!(packets.in_flight(), 0);
    }

    #[test]
    fn the_same_seed_gives_the_same_events(case in any_case()) {
        prop_assert_eq!(run(&case).0, run(&case).0);
    }

    #[test]
    fn no_datagram_is_faster_than_with_no_other_in_flight(case in any_case()) {
        let (happened, packets) = run(&case);
        for event in happened {
            let FabricEvent::Delivered(delivered) = event else { continue };
            let Frame { connection, octets, .. } = delivered.frame;
            let Unloaded { transmission, switching, propagation, .. } = packets.unloaded(connection, octets);
            prop_assert!(delivered.at.since(delivered.first_departure) >= transmission + switching + propagation);
        }
    }

    #[test]
    fn a_lone_datagram_takes_the_computed_time_of_an_unloaded_path(octets in 28u32..9000, switches in 0u32..4) {
        let topology = chain(switches, 1, 149_760_000, Duration::from_micros(7));
        let mut settings = settings(&topology, &fifo());
        settings.latencies = vec![Duration::from_nanos(12_345); topology.stations.len()];
        let mut packets = packets(&topology, &settings);
        packets.send(us(3), frame(0, 0, octets));
        let Unloaded { transmission, leaving, switching, propagation } = packets.unloaded(0, octets);
        let FabricEvent::Delivered(delivered) = drain(&mut packets)[0] else { panic!("it arrives") };
        prop_assert_eq!(delivered.at, us(3) + transmission + switching + propagation);
        prop_assert_eq!((delivered.first_departure, delivered.last_departure), (us(3), us(3) + leaving));
    }

    #[test]
    fn every_queue_discipline_keeps_the_link_busy_at_the_same_times(traffic in prop::collection::vec((0u64..300, 0u32..3, 28u32..1500), 1..200)) {
        let busy = |discipline| {
            let mut packets = link(3, &queue(discipline));
            let mut now = Time::ZERO;
            let mut ends = Vec::new();
            for (number, (gap, flow, octets)) in (0..).zip(&traffic) {
                now += Duration::from_micros(*gap);
                ends.extend(std::iter::from_fn(|| packets.advance(now)).map(|event| at(&event)));
                packets.send(now, Frame { ecn: ecn(*flow), ..frame(number, *flow, *octets) });
            }
            ends.extend(drain(&mut packets).iter().map(at));
            (packets.tally(*ends.last().expect("one")).ports[0].busy, ends.last().copied())
        };
        let round_robin = Discipline::Drr { quantum: 700, flow_limit: Limit::NONE, overflow: Overflow::Arriving };
        prop_assert_eq!(busy(Discipline::Fifo), busy(round_robin));
        // classes of one link never leave it idle while packets wait; without a delay nothing is dropped
        let (target, update) = (Duration::from_secs(10), Duration::from_millis(15));
        let never = DualPi2Settings {
            target,
            update,
            alpha: 0.16,
            beta: 0.0,
            coupling: 2,
            step: target,
            step_length: 0,
            protection: 10,
            overload: Overload::Drop,
            at_enqueue: false,
            any_ect: true,
        };
        prop_assert_eq!(busy(Discipline::Fifo), busy(Discipline::DualPi2(never)));
        let headers = Headers { dscps: vec![0, 0, 8, 8, 46, 46], hosts: vec![[1, 9]; 6] };
        let cake = CakeSettings {
            bandwidth: None,
            compensation: Compensation { overhead: Some(0), minimum: 0, carrier: Carrier::Plain },
            tins: Tins::DiffServ4,
            isolation: Isolation::TripleIsolate,
            target,
            interval: target,
            headers: headers.into(),
        };
        prop_assert_eq!(busy(Discipline::Fifo), busy(Discipline::Cake(cake)));
    }
}
