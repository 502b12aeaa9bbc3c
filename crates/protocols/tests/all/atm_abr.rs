//! Source, destination and switch behavior of the available bit rate service against closed forms.

use sojourn_core::{Duration, Time};
use sojourn_protocols::atm::abr::{
    Decrease, Destination, Erica, EricaSettings, IdleRule, IntelligentMarking, MarkingSettings, NextCell, Parameters,
    RmCell, Source,
};

/// Cells/s of a rate in Mbit/s, 424 bits per cell.
fn megabits(rate: f64) -> f64 {
    rate * 1e6 / 424.0
}

/// The parameter set for LANs of ATM Forum 95-1328R1: RDF 512, AIR x Nrm = PCR/256, TDF 512/s.
fn lan() -> Parameters {
    Parameters {
        mcr: megabits(0.5),
        icr: megabits(10.0),
        air: megabits(155.0) / 256.0 / 32.0,
        cdf: 0.5,
        idle: IdleRule::Decay { tof: 2.0, tdf: 512.0 },
        ..Parameters::traffic_management_4(megabits(155.0))
    }
}

/// A BRM cell with or without congestion indication.
fn brm(ci: bool) -> RmCell {
    RmCell { bn: false, ci, ni: false, er: megabits(155.0), ccr: 0.0, mcr: 0.0 }
}

/// Sends data continuously until `done`; `brm` is received at once for every FRM cell.
fn greedy(source: &mut Source, brm: Option<RmCell>, mut done: impl FnMut(Time, &Source, &NextCell) -> bool) -> Time {
    loop {
        let now = source.next_departure(true);
        let next = source.next_cell(now, true).expect("a cell may be sent at next_departure");
        if let (NextCell::Forward { .. }, Some(brm)) = (&next, brm) {
            source.receive_brm(brm);
        }
        if done(now, source, &next) {
            return now;
        }
    }
}

fn is_forward(next: &NextCell) -> bool {
    matches!(next, NextCell::Forward { .. })
}

#[test]
fn acr_rises_from_10_to_155_mbit_with_240_brm_cells_in_62_ms() {
    let mut source = Source::new(lan());
    let mut brms = 0;
    let end = greedy(&mut source, Some(brm(false)), |_, source, next| {
        brms += u32::from(is_forward(next));
        source.acr() >= megabits(155.0)
    });
    assert_eq!(brms, 240);
    let period = |brms: u32| 32.0 / (megabits(10.0) + f64::from(brms) * lan().air * 32.0);
    assert!(((0..240).map(period).sum::<f64>() - 0.0621).abs() < 0.0001);
    // the first BRM cell arrives at once, and the last completes the rise
    assert!((end.seconds() - (1..240).map(period).sum::<f64>()).abs() < 1e-8, "{end}");
}

#[test]
fn congestion_halves_acr_in_eleven_brm_cells_and_mcr_is_kept() {
    let mut source = Source::new(Parameters { icr: megabits(100.0), ..lan() });
    for _ in 0..11 {
        let before = source.acr();
        source.receive_brm(brm(true));
        assert!((source.acr() / before - 0.9375).abs() < 1e-12);
    }
    assert!(source.acr() < megabits(50.0) && source.acr() > megabits(49.0));
    (0..1000).for_each(|_| source.receive_brm(brm(true)));
    assert_eq!(source.acr(), megabits(0.5));
}

#[test]
fn every_32nd_cell_is_an_frm_cell_including_the_first() {
    let mut source = Source::new(lan());
    let mut kinds = Vec::new();
    greedy(&mut source, None, |_, _, next| {
        kinds.push(is_forward(next));
        kinds.len() == 97
    });
    let forward: Vec<usize> = (0..97).filter(|&index| kinds[index]).collect();
    assert_eq!(forward, [0, 32, 64, 96]);
}

#[test]
fn frm_cells_are_32_cell_intervals_apart() {
    let mut source = Source::new(lan());
    let mut times = Vec::new();
    greedy(&mut source, None, |now, _, next| {
        times.extend(is_forward(next).then_some(now));
        times.len() == 3
    });
    let spacing = (times[2] - times[1]).seconds();
    assert!((spacing - 1.3568e-3).abs() < 1e-9, "{spacing}");
}

#[test]
fn a_source_without_brm_cells_halves_acr_after_crm_frm_cells() {
    let mut source = Source::new(Parameters { icr: megabits(100.0), ..lan() });
    let mut rates = Vec::new();
    greedy(&mut source, None, |_, source, next| {
        rates.extend(is_forward(next).then_some(source.acr()));
        rates.len() == 50
    });
    assert!(rates[..32].iter().all(|&rate| rate == megabits(100.0)));
    assert_eq!(rates[32], megabits(50.0));
    assert_eq!(rates[33], megabits(25.0));
    assert_eq!(rates[49], megabits(0.5));
}

/// CCR of a source at 100 Mbit/s whose next data arrive after an idle time since its last FRM cell.
fn ccr_after(idle_time: Duration, idle: IdleRule) -> f64 {
    let mut source = Source::new(Parameters { icr: megabits(10.0), idle, ..lan() });
    let mut times = 0;
    let last = greedy(&mut source, Some(brm(false)), |_, source, next| {
        times += u32::from(is_forward(next));
        source.acr() >= megabits(100.0) && is_forward(next)
    });
    // 31 cells back to back, as after a delay in the link
    for _ in 0..31 {
        let slot = source.next_departure(true);
        assert_eq!(source.next_cell(slot, true), Some(NextCell::Data));
    }
    let due = (last + idle_time).max(source.next_departure(true));
    let Some(NextCell::Forward { cell, .. }) = source.next_cell(due, true) else { panic!("an FRM cell is due") };
    cell.ccr
}

#[test]
fn an_idle_period_decreases_acr_as_the_draft_specifies() {
    let idle = lan().idle;
    let near = |rate: f64, megabit: f64| assert!((rate - megabits(megabit)).abs() < megabits(0.4), "{rate}");
    near(ccr_after(Duration::from_micros(270), idle), 100.0);
    near(ccr_after(Duration::from_millis(1), idle), 48.8);
    near(ccr_after(Duration::from_micros(1960), idle), 10.0);
    near(ccr_after(Duration::from_millis(100), IdleRule::Keep), 100.0);
    let reset = IdleRule::Reset(Duration::from_millis(500));
    near(ccr_after(Duration::from_millis(499), reset), 100.0);
    near(ccr_after(Duration::from_millis(501), reset), 10.0);
}

#[test]
fn an_idle_source_sends_one_frm_cell_after_trm_and_no_more() {
    let mut source = Source::new(lan());
    for _ in 0..3 {
        let slot = source.next_departure(true);
        source.next_cell(slot, true).unwrap();
    }
    let due = source.next_departure(false);
    assert_eq!(due, Time::ZERO + Duration::from_millis(100));
    assert!(is_forward(&source.next_cell(due, false).unwrap()));
    assert_eq!(source.next_departure(false), Time::NEVER);
}

#[test]
fn a_source_with_fewer_than_mrm_cells_sends_no_frm_cell_by_trm() {
    let mut source = Source::new(lan());
    for _ in 0..2 {
        let slot = source.next_departure(true);
        source.next_cell(slot, true).unwrap();
    }
    assert_eq!(source.next_departure(false), Time::NEVER);
}

#[test]
fn brm_cells_and_data_share_acr_and_the_latest_brm_cell_is_sent() {
    let mut source = Source::new(lan());
    greedy(&mut source, None, |_, _, next| is_forward(next));
    source.turn_around(brm(false));
    source.turn_around(brm(true));
    let slot = source.next_departure(true);
    assert_eq!(source.next_cell(slot, true), Some(NextCell::Backward(brm(true))));
    source.turn_around(brm(false));
    let slot = source.next_departure(true);
    assert_eq!(source.next_cell(slot, true), Some(NextCell::Data), "one BRM cell between two FRM cells");
    let slot = source.next_departure(false);
    assert_eq!(source.next_cell(slot, false), Some(NextCell::Backward(brm(false))), "more if no data wait");
}

#[test]
fn ci_of_a_replaced_brm_cell_is_kept_only_if_configured() {
    for keeps_ci in [false, true] {
        let mut source = Source::new(Parameters { keeps_ci, ..lan() });
        greedy(&mut source, None, |_, _, next| is_forward(next));
        source.turn_around(brm(true));
        source.turn_around(brm(false));
        let slot = source.next_departure(true);
        assert_eq!(source.next_cell(slot, true), Some(NextCell::Backward(brm(keeps_ci))));
    }
}

#[test]
fn no_cell_is_sent_before_its_departure_time() {
    let mut source = Source::new(lan());
    let first = source.next_departure(true);
    source.next_cell(first, true).unwrap();
    let slot = source.next_departure(true);
    assert_eq!(source.next_cell(Time::from_picoseconds(slot.picoseconds() - 1), true), None);
    assert!(source.next_cell(slot, true).is_some());
}

#[test]
fn a_higher_acr_advances_the_next_cell_only_if_the_source_reschedules() {
    for (reschedules, moved) in [(true, true), (false, false)] {
        let mut source = Source::new(Parameters { reschedules, ..lan() });
        let first = source.next_departure(true);
        source.next_cell(first, true).unwrap();
        let before = source.next_departure(true);
        source.receive_brm(brm(false));
        assert_eq!(source.next_departure(true) < before, moved);
    }
}

#[test]
fn the_per_cell_decrease_matches_the_per_brm_decrease_and_is_restored_without_ci() {
    let parameters = Parameters { decrease: Decrease::PerCell, icr: megabits(100.0), ..lan() };
    let mut source = Source::new(parameters.clone());
    let mut cells = 0;
    greedy(&mut source, None, |_, _, _| {
        cells += 1;
        cells == 32
    });
    let share = source.acr() / megabits(100.0);
    assert!((share - (1.0 - 1.0 / 512.0_f64).powi(32)).abs() < 1e-9, "{share}");
    source.receive_brm(brm(false));
    assert!((source.acr() - megabits(100.0) - parameters.air * 32.0).abs() < 1e-6);
}

#[test]
fn a_source_with_acr_0_sends_out_of_rate_frm_cells_until_acr_rises() {
    let mut source = Source::new(Parameters { mcr: 0.0, icr: 0.0, ..lan() });
    let mut sent = Vec::new();
    for _ in 0..3 {
        let now = source.next_departure(true);
        let next = source.next_cell(now, true).unwrap();
        assert!(matches!(next, NextCell::Forward { out_of_rate: true, .. }));
        sent.push(now);
    }
    assert_eq!(sent[2] - sent[1], Duration::from_millis(100), "TCR is 10 cells/s");
    source.receive_brm(brm(false));
    let now = source.next_departure(true);
    assert!(matches!(source.next_cell(now, true), Some(NextCell::Forward { out_of_rate: false, .. })));
}

#[test]
fn a_destination_copies_efci_of_the_last_data_cell_into_one_brm_cell() {
    let mut destination = Destination::default();
    destination.receive_data(true);
    assert!(destination.turn_around(brm(false)).ci);
    assert!(!destination.turn_around(brm(false)).ci);
    destination.receive_data(true);
    destination.receive_data(false);
    assert!(!destination.turn_around(brm(false)).ci);
    let mut latching = Destination::latching_efci();
    latching.receive_data(true);
    assert!(latching.turn_around(brm(false)).ci && latching.turn_around(brm(false)).ci);
}

#[test]
fn erica_allocates_equal_shares_of_the_target_rate_to_greedy_connections() {
    let settings = EricaSettings { link_rate: 100_000.0, target_utilization: 0.9, target_delay: None };
    let mut erica = Erica::new(settings, 3);
    let mut rates = [80_000.0, 20_000.0, 1_000.0];
    for _ in 0..50 {
        for (connection, rate) in rates.iter().enumerate() {
            (0..(rate * 0.005) as u32).for_each(|_| erica.cell(connection));
            erica.forward(connection, &RmCell { ccr: *rate, ..brm(false) });
        }
        erica.end_interval(Duration::from_millis(5), Duration::ZERO);
        for (connection, rate) in rates.iter_mut().enumerate() {
            let mut cell = brm(false);
            erica.backward(connection, &mut cell);
            *rate = cell.er;
        }
    }
    for rate in rates {
        assert!((rate - 30_000.0).abs() < 1_000.0, "{rates:?}");
    }
}

#[test]
fn erica_plus_allocates_less_as_the_queue_grows() {
    let target = Duration::from_micros(500);
    let settings = EricaSettings { link_rate: 100_000.0, target_utilization: 1.0, target_delay: Some(target) };
    let share = |delay: Duration| {
        let mut erica = Erica::new(settings, 1);
        (0..500).for_each(|_| erica.cell(0));
        erica.forward(0, &RmCell { ccr: 100_000.0, ..brm(false) });
        erica.end_interval(Duration::from_millis(5), delay);
        let mut cell = brm(false);
        erica.backward(0, &mut cell);
        cell.er / 100_000.0
    };
    assert!((share(target) - 1.0).abs() < 1e-9);
    assert!((share(Duration::from_millis(1)) - 1.15 / 1.3).abs() < 1e-9);
    assert_eq!(share(Duration::from_secs(1)), 0.5);
}

#[test]
fn intelligent_marking_reduces_connections_above_the_mean_first() {
    let settings = MarkingSettings { av: 1.0 / 16.0, dpf: 7.0 / 8.0, erf: 15.0 / 16.0, mrf: 0.25, qt: 100, dqt: 1000 };
    let mut marking = IntelligentMarking::new(settings, 1000.0);
    marking.forward(&RmCell { ccr: 2600.0, ..brm(false) });
    assert_eq!(marking.macr(), 1100.0);
    let er = |queued, ccr| {
        let mut cell = RmCell { ccr, er: 5000.0, ..brm(false) };
        marking.backward(queued, &mut cell);
        cell.er
    };
    assert_eq!(er(100, 3000.0), 5000.0);
    assert_eq!(er(101, 3000.0), 1100.0 * 15.0 / 16.0);
    assert_eq!(er(101, 900.0), 5000.0);
    assert_eq!(er(1001, 900.0), 275.0);
}
