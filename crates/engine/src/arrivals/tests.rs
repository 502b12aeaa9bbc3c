use super::*;
use sojourn_core::Streams;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// The first `n` arrivals, each asked for at the one before.
fn first(arrivals: &Arrivals, n: usize) -> Vec<Time> {
    let (mut process, mut stream) = (arrivals.start(), Streams::new(3, 0).stream("arrivals"));
    let mut last = Time::ZERO;
    let arrivals = std::iter::from_fn(|| {
        last = process.next(last, &mut stream)?;
        Some(last)
    });
    arrivals.take(n).collect()
}

fn rate_of(arrivals: &Arrivals) -> f64 {
    let times = first(arrivals, 200_000);
    times.len() as f64 / times.last().unwrap().seconds()
}

#[test]
fn every_open_kind_arrives_at_its_stated_rate() {
    let kinds = [
        Arrivals::Poisson { mean_gap: ms(20) },
        Arrivals::Periodic { period: ms(20), phase: None },
        Arrivals::Normal { mean_gap: ms(20), deviation: ms(4) },
        Arrivals::Burst { size: 5, gap: ms(1), interval: ms(1000) },
        Arrivals::OnOff { on: ms(300), off: ms(700), gap: ms(20) },
    ];
    for kind in kinds {
        let (found, stated) = (rate_of(&kind), kind.rate().unwrap());
        assert!((found / stated - 1.0).abs() < 0.02, "{kind:?}: {found} for {stated}");
    }
}

#[test]
fn a_period_keeps_its_phase_for_ever() {
    let times = first(&Arrivals::Periodic { period: ms(10), phase: Some(ms(3)) }, 4);
    assert_eq!(times, [3, 13, 23, 33].map(|n| Time::ZERO + ms(n)));
    let drawn = first(&Arrivals::Periodic { period: ms(10), phase: None }, 2);
    assert!(drawn[0] < Time::ZERO + ms(10) && drawn[1] - drawn[0] == ms(10));
}

#[test]
fn a_burst_comes_in_groups() {
    let times = first(&Arrivals::Burst { size: 3, gap: ms(1), interval: ms(10_000) }, 9);
    for group in times.chunks(3) {
        assert_eq!(group[2] - group[0], ms(2));
    }
    assert!(times[3] - times[2] > ms(1));
}

#[test]
fn a_source_that_is_on_sends_every_gap_and_off_not_at_all() {
    let times = first(&Arrivals::OnOff { on: ms(1000), off: ms(1000), gap: ms(10) }, 2_000);
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let steady = gaps.iter().filter(|&&gap| gap == ms(10)).count();
    assert!((1_950..2_000).contains(&steady), "{steady}");
}

#[test]
fn a_closed_loop_waits_for_the_one_before_and_thinks() {
    let arrivals = Arrivals::Saturating { think: ms(5) };
    let (mut process, mut stream) = (arrivals.start(), Streams::new(3, 0).stream("arrivals"));
    assert!(arrivals.is_closed());
    assert_eq!(process.next(Time::ZERO, &mut stream), Some(Time::ZERO));
    assert_eq!(process.next(Time::ZERO + ms(40), &mut stream), Some(Time::ZERO + ms(45)));
}

#[test]
fn a_list_gives_its_instants_and_ends() {
    let instants: Arc<[Time]> = [1, 1, 7].map(|n| Time::ZERO + ms(n)).into();
    assert_eq!(first(&Arrivals::Trace(instants.clone()), 10), instants.to_vec());
}
