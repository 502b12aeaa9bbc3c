//! Source, destination and switch rules of the available bit rate service, held to their closed forms.

use sojourn_core::{Duration, Time};
use sojourn_protocols::atm::abr::{
    Choice, Decrease, Destination, Erica, EricaSettings, IdleRule, IntelligentMarking, MarkingSettings, Parameters,
    RateCell, Source,
};

/// Cells a second at so many Mbit/s of cells.
fn megabits(rate: f64) -> f64 {
    rate * 1e6 / 424.0
}

/// The parameter set for LANs of ATM Forum 95-1328R1: RDF 512, AIR x Nrm = PCR/256, TDF 512/s.
fn lan() -> Parameters {
    Parameters {
        minimum_rate: megabits(0.5),
        initial_rate: megabits(10.0),
        increase: megabits(155.0) / 256.0,
        unanswered_decrease: 0.5,
        idle: IdleRule::Decay { factor: 2.0, per_second: 512.0 },
        ..Parameters::traffic_management_4(megabits(155.0))
    }
}

/// What comes back from a network without congestion, or with it.
fn answer(congestion: bool) -> RateCell {
    RateCell {
        notification: false,
        congestion,
        no_increase: false,
        explicit_rate: megabits(155.0),
        current_rate: 0.0,
        minimum_rate: 0.0,
    }
}

/// Sends data without end until `done`; `reply` is what comes back at once for every forward cell.
fn greedy(source: &mut Source, reply: Option<RateCell>, mut done: impl FnMut(Time, &Source, &Choice) -> bool) -> Time {
    loop {
        let now = source.earliest(true);
        let choice = source.choose(now, true).expect("a cell may leave when the source says so");
        if let (Choice::Forward { .. }, Some(reply)) = (&choice, reply) {
            source.answer(reply);
        }
        if done(now, source, &choice) {
            return now;
        }
    }
}

fn is_forward(choice: &Choice) -> bool {
    matches!(choice, Choice::Forward { .. })
}

#[test]
fn the_rate_climbs_from_10_to_155_megabits_with_240_answers_in_62_milliseconds() {
    let mut source = Source::new(lan());
    let mut answers = 0;
    let end = greedy(&mut source, Some(answer(false)), |_, source, choice| {
        answers += u32::from(is_forward(choice));
        source.allowed() >= megabits(155.0)
    });
    assert_eq!(answers, 240);
    let period = |answers: u32| 32.0 / (megabits(10.0) + f64::from(answers) * lan().increase);
    assert!(((0..240).map(period).sum::<f64>() - 0.0621).abs() < 0.0001);
    // the first answer comes at once, and the last ends the climb
    assert!((end.seconds() - (1..240).map(period).sum::<f64>()).abs() < 1e-8, "{end}");
}

#[test]
fn congestion_halves_the_rate_in_eleven_answers_and_never_takes_the_minimum() {
    let mut source = Source::new(Parameters { initial_rate: megabits(100.0), ..lan() });
    for _ in 0..11 {
        let before = source.allowed();
        source.answer(answer(true));
        assert!((source.allowed() / before - 0.9375).abs() < 1e-12);
    }
    assert!(source.allowed() < megabits(50.0) && source.allowed() > megabits(49.0));
    (0..1000).for_each(|_| source.answer(answer(true)));
    assert_eq!(source.allowed(), megabits(0.5));
}

#[test]
fn one_cell_of_32_is_a_forward_cell_also_at_the_beginning() {
    let mut source = Source::new(lan());
    let mut kinds = Vec::new();
    greedy(&mut source, None, |_, _, choice| {
        kinds.push(is_forward(choice));
        kinds.len() == 97
    });
    let forward: Vec<usize> = (0..97).filter(|&index| kinds[index]).collect();
    assert_eq!(forward, [0, 32, 64, 96]);
}

#[test]
fn forward_cells_lie_32_cells_of_the_rate_apart() {
    let mut source = Source::new(lan());
    let mut times = Vec::new();
    greedy(&mut source, None, |now, _, choice| {
        times.extend(is_forward(choice).then_some(now));
        times.len() == 3
    });
    let spacing = (times[2] - times[1]).seconds();
    assert!((spacing - 1.3568e-3).abs() < 1e-9, "{spacing}");
}

#[test]
fn a_source_without_answers_halves_its_rate_after_32_forward_cells() {
    let mut source = Source::new(Parameters { initial_rate: megabits(100.0), ..lan() });
    let mut rates = Vec::new();
    greedy(&mut source, None, |_, source, choice| {
        rates.extend(is_forward(choice).then_some(source.allowed()));
        rates.len() == 50
    });
    assert!(rates[..32].iter().all(|&rate| rate == megabits(100.0)));
    assert_eq!(rates[32], megabits(50.0));
    assert_eq!(rates[33], megabits(25.0));
    assert_eq!(rates[49], megabits(0.5));
}

/// The rate of a source at 100 Mbit/s whose next data come `silence` after its last forward cell.
fn rate_after(silence: Duration, idle: IdleRule) -> f64 {
    let mut source = Source::new(Parameters { initial_rate: megabits(10.0), idle, ..lan() });
    let mut times = 0;
    let last = greedy(&mut source, Some(answer(false)), |_, source, choice| {
        times += u32::from(is_forward(choice));
        source.allowed() >= megabits(100.0) && is_forward(choice)
    });
    // 31 cells at once, as data would be that waited in a link
    for _ in 0..31 {
        let slot = source.earliest(true);
        assert_eq!(source.choose(slot, true), Some(Choice::Data));
    }
    let due = (last + silence).max(source.earliest(true));
    let Some(Choice::Forward { content, .. }) = source.choose(due, true) else { panic!("a forward cell is due") };
    content.current_rate
}

#[test]
fn a_silence_costs_what_the_draft_says() {
    let idle = lan().idle;
    let near = |rate: f64, megabit: f64| assert!((rate - megabits(megabit)).abs() < megabits(0.4), "{rate}");
    near(rate_after(Duration::from_micros(270), idle), 100.0);
    near(rate_after(Duration::from_millis(1), idle), 48.8);
    near(rate_after(Duration::from_micros(1960), idle), 10.0);
    near(rate_after(Duration::from_millis(100), IdleRule::Keep), 100.0);
    let reset = IdleRule::Reset(Duration::from_millis(500));
    near(rate_after(Duration::from_millis(499), reset), 100.0);
    near(rate_after(Duration::from_millis(501), reset), 10.0);
}

#[test]
fn a_source_that_falls_silent_sends_one_forward_cell_after_trm_and_then_nothing() {
    let mut source = Source::new(lan());
    for _ in 0..3 {
        let slot = source.earliest(true);
        source.choose(slot, true).unwrap();
    }
    let due = source.earliest(false);
    assert_eq!(due, Time::ZERO + Duration::from_millis(100));
    assert!(is_forward(&source.choose(due, false).unwrap()));
    assert_eq!(source.earliest(false), Time::NEVER);
}

#[test]
fn a_source_with_fewer_than_two_cells_since_then_stays_silent() {
    let mut source = Source::new(lan());
    for _ in 0..2 {
        let slot = source.earliest(true);
        source.choose(slot, true).unwrap();
    }
    assert_eq!(source.earliest(false), Time::NEVER);
}

#[test]
fn backward_cells_and_data_share_the_rate_and_the_newest_backward_cell_counts() {
    let mut source = Source::new(lan());
    greedy(&mut source, None, |_, _, choice| is_forward(choice));
    source.give_back(answer(false));
    source.give_back(answer(true));
    let slot = source.earliest(true);
    assert_eq!(source.choose(slot, true), Some(Choice::Backward(answer(true))));
    source.give_back(answer(false));
    let slot = source.earliest(true);
    assert_eq!(source.choose(slot, true), Some(Choice::Data), "one backward cell between two forward ones");
    let slot = source.earliest(false);
    assert_eq!(source.choose(slot, false), Some(Choice::Backward(answer(false))), "more when no data wait");
}

#[test]
fn news_of_congestion_outlives_a_newer_backward_cell_only_where_that_is_wanted() {
    for keeps_congestion in [false, true] {
        let mut source = Source::new(Parameters { keeps_congestion, ..lan() });
        greedy(&mut source, None, |_, _, choice| is_forward(choice));
        source.give_back(answer(true));
        source.give_back(answer(false));
        let slot = source.earliest(true);
        assert_eq!(source.choose(slot, true), Some(Choice::Backward(answer(keeps_congestion))));
    }
}

#[test]
fn no_cell_leaves_before_its_time() {
    let mut source = Source::new(lan());
    let first = source.earliest(true);
    source.choose(first, true).unwrap();
    let slot = source.earliest(true);
    assert_eq!(source.choose(Time::from_picoseconds(slot.picoseconds() - 1), true), None);
    assert!(source.choose(slot, true).is_some());
}

#[test]
fn a_higher_rate_moves_the_next_cell_only_where_cells_are_rescheduled() {
    for (reschedules, moved) in [(true, true), (false, false)] {
        let mut source = Source::new(Parameters { reschedules, ..lan() });
        let first = source.earliest(true);
        source.choose(first, true).unwrap();
        let before = source.earliest(true);
        source.answer(answer(false));
        assert_eq!(source.earliest(true) < before, moved);
    }
}

#[test]
fn the_continuous_decrease_has_the_slope_of_the_sudden_one_and_is_restored_by_good_news() {
    let parameters = Parameters { decreases: Decrease::WithEveryCell, initial_rate: megabits(100.0), ..lan() };
    let mut source = Source::new(parameters.clone());
    let mut cells = 0;
    greedy(&mut source, None, |_, _, _| {
        cells += 1;
        cells == 32
    });
    let share = source.allowed() / megabits(100.0);
    assert!((share - (1.0 - 1.0 / 512.0_f64).powi(32)).abs() < 1e-9, "{share}");
    source.answer(answer(false));
    assert!((source.allowed() - megabits(100.0) - parameters.increase).abs() < 1e-6);
}

#[test]
fn a_source_without_any_rate_asks_out_of_rate_until_it_is_given_one() {
    let mut source = Source::new(Parameters { minimum_rate: 0.0, initial_rate: 0.0, ..lan() });
    let mut asked = Vec::new();
    for _ in 0..3 {
        let now = source.earliest(true);
        let choice = source.choose(now, true).unwrap();
        assert!(matches!(choice, Choice::Forward { out_of_rate: true, .. }));
        asked.push(now);
    }
    assert_eq!(asked[2] - asked[1], Duration::from_millis(100), "ten a second");
    source.answer(answer(false));
    let now = source.earliest(true);
    assert!(matches!(source.choose(now, true), Some(Choice::Forward { out_of_rate: false, .. })));
}

#[test]
fn a_destination_tells_the_congestion_of_the_last_data_cell_once() {
    let mut destination = Destination::default();
    destination.data(true);
    assert!(destination.turn_around(answer(false)).congestion);
    assert!(!destination.turn_around(answer(false)).congestion);
    destination.data(true);
    destination.data(false);
    assert!(!destination.turn_around(answer(false)).congestion);
    let mut keeps = Destination::keeping_its_indication();
    keeps.data(true);
    assert!(keeps.turn_around(answer(false)).congestion && keeps.turn_around(answer(false)).congestion);
}

#[test]
fn erica_gives_greedy_connections_equal_shares_of_its_target() {
    let settings = EricaSettings { link_rate: 100_000.0, utilisation: 0.9, queue_target: None };
    let mut erica = Erica::new(settings, 3);
    let mut rates = [80_000.0, 20_000.0, 1_000.0];
    for _ in 0..50 {
        for (connection, rate) in rates.iter().enumerate() {
            (0..(rate * 0.005) as u32).for_each(|_| erica.cell(connection));
            erica.forward(connection, &RateCell { current_rate: *rate, ..answer(false) });
        }
        erica.end_interval(Duration::from_millis(5), Duration::ZERO);
        for (connection, rate) in rates.iter_mut().enumerate() {
            let mut cell = answer(false);
            erica.backward(connection, &mut cell);
            *rate = cell.explicit_rate;
        }
    }
    for rate in rates {
        assert!((rate - 30_000.0).abs() < 1_000.0, "{rates:?}");
    }
}

#[test]
fn erica_plus_gives_less_away_the_longer_its_queue() {
    let target = Duration::from_micros(500);
    let settings = EricaSettings { link_rate: 100_000.0, utilisation: 1.0, queue_target: Some(target) };
    let share = |delay: Duration| {
        let mut erica = Erica::new(settings, 1);
        (0..500).for_each(|_| erica.cell(0));
        erica.forward(0, &RateCell { current_rate: 100_000.0, ..answer(false) });
        erica.end_interval(Duration::from_millis(5), delay);
        let mut cell = answer(false);
        erica.backward(0, &mut cell);
        cell.explicit_rate / 100_000.0
    };
    assert!((share(target) - 1.0).abs() < 1e-9);
    assert!((share(Duration::from_millis(1)) - 1.15 / 1.3).abs() < 1e-9);
    assert_eq!(share(Duration::from_secs(1)), 0.5);
}

#[test]
fn intelligent_marking_slows_those_above_the_average_first() {
    let settings = MarkingSettings {
        averaging: 1.0 / 16.0,
        above: 7.0 / 8.0,
        reduction: 15.0 / 16.0,
        major_reduction: 0.25,
        congested: 100,
        very_congested: 1000,
    };
    let mut marking = IntelligentMarking::new(settings, 1000.0);
    marking.forward(&RateCell { current_rate: 2600.0, ..answer(false) });
    assert_eq!(marking.average(), 1100.0);
    let told = |queued, current_rate| {
        let mut cell = RateCell { current_rate, explicit_rate: 5000.0, ..answer(false) };
        marking.backward(queued, &mut cell);
        cell.explicit_rate
    };
    assert_eq!(told(100, 3000.0), 5000.0);
    assert_eq!(told(101, 3000.0), 1100.0 * 15.0 / 16.0);
    assert_eq!(told(101, 900.0), 5000.0);
    assert_eq!(told(1001, 900.0), 275.0);
}
