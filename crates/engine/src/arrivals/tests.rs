use super::*;
use crate::law::{Gamma, Shape, Weibull};
use sojourn_core::Streams;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Independent gaps of this shape.
fn renewal(mean_ms: u64, shape: Shape) -> Arrivals {
    Arrivals::Renewal(Box::new(Law { mean: ms(mean_ms), shape }))
}

/// The first `n` arrivals of a process that begins at `begin`, each asked for at the one before.
fn first(mut process: Process, begin: Duration, n: usize) -> Vec<Time> {
    let mut stream = Streams::new(3, 0).stream("arrivals");
    let mut last = Time::ZERO + begin;
    let arrivals = std::iter::from_fn(|| {
        last = process.next(last, &mut stream)?;
        Some(last)
    });
    arrivals.take(n).collect()
}

fn rate_of(arrivals: &Arrivals) -> f64 {
    let times = first(arrivals.start(), Duration::ZERO, 200_000);
    times.len() as f64 / times.last().unwrap().seconds()
}

#[test]
fn every_open_kind_arrives_at_its_stated_rate() {
    let kinds = [
        Arrivals::Poisson { mean_gap: ms(20) },
        Arrivals::Periodic { period: ms(20), jitter: ms(5) },
        renewal(20, Shape::Normal(0.3)),
        renewal(20, Shape::Gamma(Gamma::new(0.5))),
        renewal(20, Shape::Weibull(Weibull::new(2.0))),
        Arrivals::Burst { size: 5, gap: ms(1), interval: ms(1000) },
        Arrivals::Burst { size: 5, gap: ms(1), interval: ms(10) },
        Arrivals::OnOff { on: ms(300), off: ms(700), gap: ms(20) },
    ];
    for kind in kinds {
        let (found, stated) = (rate_of(&kind), kind.rate().unwrap());
        assert!((found / stated - 1.0).abs() < 0.015, "{kind:?}: {found} for {stated}");
    }
}

#[test]
fn arrivals_that_are_given_together_are_those_given_one_by_one_up_to_the_end() {
    let instants = (1..100).map(|n| Time::ZERO + ms(7 * n)).collect();
    let kinds = [
        Arrivals::Poisson { mean_gap: ms(20) },
        Arrivals::Periodic { period: ms(20), jitter: ms(5) },
        Arrivals::Burst { size: 5, gap: ms(1), interval: ms(100) },
        Arrivals::Trace(instants),
    ];
    let end = Time::ZERO + ms(1500);
    for kind in kinds {
        let alone: Vec<Time> = first(kind.start(), ms(3), 1000).into_iter().take_while(|time| *time <= end).collect();
        let (mut process, mut stream) = (kind.start(), Streams::new(3, 0).stream("arrivals"));
        let (mut together, mut last) = (Vec::new(), Time::ZERO + ms(3));
        loop {
            let mut some = [Time::ZERO; 8];
            let given = process.fill(last, end, &mut stream, &mut some);
            together.extend_from_slice(&some[..given]);
            if given < some.len() {
                break;
            }
            last = some[7];
        }
        assert_eq!(together, alone, "{kind:?}");
    }
}

#[test]
fn a_period_keeps_its_phase_for_ever() {
    let arrivals = Arrivals::Periodic { period: ms(10), jitter: Duration::ZERO };
    assert_eq!(first(arrivals.start_at_once(), ms(3), 4), [3, 13, 23, 33].map(|n| Time::ZERO + ms(n)));
    let drawn = first(arrivals.start(), Duration::ZERO, 2);
    assert!(drawn[0] < Time::ZERO + ms(10) && drawn[1] - drawn[0] == ms(10));
}

#[test]
fn jitter_makes_late_but_never_drifts() {
    let times = first(Arrivals::Periodic { period: ms(10), jitter: ms(4) }.start_at_once(), Duration::ZERO, 1000);
    for (n, time) in times.iter().enumerate() {
        let punctual = Time::ZERO + ms(10).times(n as u64);
        assert!((punctual..=punctual + ms(4)).contains(time), "arrival {n} at {time}");
    }
    assert!(times.windows(2).any(|pair| pair[1] - pair[0] != ms(10)));
}

#[test]
fn after_a_power_failure_all_begin_at_once_and_spread_ones_do_not() {
    let kinds = [
        Arrivals::Poisson { mean_gap: ms(20) },
        renewal(20, Shape::Normal(0.2)),
        Arrivals::Burst { size: 5, gap: ms(1), interval: ms(1000) },
        Arrivals::OnOff { on: ms(300), off: ms(700), gap: ms(20) },
        Arrivals::Saturating { think: Box::new(Law::constant(ms(100))) },
    ];
    for kind in kinds {
        assert_eq!(first(kind.start_at_once(), ms(50), 1), [Time::ZERO + ms(50)], "{kind:?}");
        assert!(first(kind.start(), ms(50), 1)[0] > Time::ZERO + ms(50), "{kind:?}");
    }
}

#[test]
fn a_burst_comes_in_groups() {
    let times = first(Arrivals::Burst { size: 3, gap: ms(1), interval: ms(10_000) }.start(), Duration::ZERO, 9);
    for group in times.chunks(3) {
        assert_eq!(group[2] - group[0], ms(2));
    }
    assert!(times[3] - times[2] > ms(1));
}

#[test]
fn a_source_that_is_on_sends_every_gap_and_off_not_at_all() {
    let times = first(Arrivals::OnOff { on: ms(1000), off: ms(1000), gap: ms(10) }.start(), Duration::ZERO, 2_000);
    let gaps: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let steady = gaps.iter().filter(|&&gap| gap == ms(10)).count();
    assert!((1_950..2_000).contains(&steady), "{steady}");
}

#[test]
fn a_closed_loop_waits_for_the_one_before_and_thinks() {
    let arrivals = Arrivals::Saturating { think: Box::new(Law::constant(ms(5))) };
    let (mut process, mut stream) = (arrivals.start_at_once(), Streams::new(3, 0).stream("arrivals"));
    assert!(arrivals.is_closed());
    assert_eq!(process.next(Time::ZERO, &mut stream), Some(Time::ZERO));
    assert_eq!(process.next(Time::ZERO + ms(40), &mut stream), Some(Time::ZERO + ms(45)));
}

#[test]
fn a_closed_loop_thinks_for_a_random_time_after_the_one_before() {
    let think = Law { mean: ms(5), shape: Shape::Gamma(Gamma::new(4.0)) };
    let (mut process, mut stream) =
        (Arrivals::Saturating { think: Box::new(think) }.start_at_once(), Streams::new(3, 0).stream("arrivals"));
    let mut done = process.next(Time::ZERO, &mut stream).unwrap();
    let mut thought = Duration::ZERO;
    for _ in 0..20_000 {
        done += ms(40);
        let next = process.next(done, &mut stream).unwrap();
        thought += next.since(done);
        done = next;
    }
    // three and a half standard errors
    let mean = thought.seconds() / 20_000.0;
    assert!((mean - 5e-3).abs() < 3.5 * 2.5e-3 / 20_000.0_f64.sqrt(), "{mean}");
}

#[test]
fn a_list_gives_its_instants_and_ends() {
    let instants: Arc<[Time]> = [1, 1, 7].map(|n| Time::ZERO + ms(n)).into();
    assert_eq!(first(Arrivals::Trace(instants.clone()).start(), Duration::ZERO, 10), instants.to_vec());
}

/// Arrivals per second over a long time in which what has no memory is drawn again every 70 ms.
fn rate_with_redraws(arrivals: &Arrivals) -> (f64, u32) {
    let (mut process, mut stream) = (arrivals.start(), Streams::new(5, 0).stream("arrivals"));
    let mut due = process.next(Time::ZERO, &mut stream).unwrap();
    let (mut came, mut moved, steps) = (0u32, 0, 100_000);
    for step in 1..=steps {
        let now = Time::ZERO + ms(70 * step);
        while due <= now {
            came += 1;
            due = process.next(due, &mut stream).unwrap();
        }
        let redrawn = process.redraw(now, due, &mut stream);
        moved += u32::from(redrawn != due);
        due = redrawn;
    }
    (f64::from(came) / ms(70 * steps).seconds(), moved)
}

#[test]
fn drawing_a_gap_without_memory_again_leaves_the_rate_as_it_is() {
    let poisson = Arrivals::Poisson { mean_gap: ms(100) };
    let burst = Arrivals::Burst { size: 4, gap: ms(5), interval: ms(300) };
    let on_off = Arrivals::OnOff { on: ms(200), off: ms(300), gap: ms(20) };
    for arrivals in [&poisson, &burst, &on_off] {
        let (rate, expected) = (rate_with_redraws(arrivals).0, arrivals.rate().unwrap());
        assert!((rate / expected - 1.0).abs() < 0.03, "{arrivals:?}: {rate}, not {expected}");
    }
    assert!(rate_with_redraws(&poisson).1 > 90_000 && rate_with_redraws(&burst).1 > 50_000);
}

#[test]
fn what_comes_by_the_clock_is_not_drawn_again() {
    let periodic = Arrivals::Periodic { period: ms(100), jitter: ms(10) };
    assert_eq!(rate_with_redraws(&periodic).1, 0);
    assert_eq!(rate_with_redraws(&renewal(100, Shape::Normal(0.1))).1, 0);
}

/// Means of the first arrival and the second of processes that begin at 500 ms, in ms; the first is drawn again every 70 ms
/// where `redraws` says so.
fn first_two(process: &Process, redraws: bool) -> [f64; 2] {
    let processes = 20_000;
    let mut sums = [0.0; 2];
    for number in 0..processes {
        let (mut process, mut stream) = (process.clone(), Streams::new(5, number).stream("arrivals"));
        let mut due = process.next(Time::ZERO + ms(500), &mut stream).unwrap();
        let mut now = Time::ZERO;
        while redraws && now < due {
            due = process.redraw(now, due, &mut stream);
            now += ms(70);
        }
        let second = process.next(due, &mut stream).unwrap();
        sums[0] += due.since(Time::ZERO).seconds();
        sums[1] += second.since(Time::ZERO).seconds();
    }
    sums.map(|sum| 1000.0 * sum / f64::from(processes))
}

#[test]
fn a_first_arrival_drawn_again_comes_after_the_beginning_as_late_as_before() {
    let poisson = Arrivals::Poisson { mean_gap: ms(100) };
    let burst = Arrivals::Burst { size: 2, gap: ms(5), interval: ms(100) };
    let on_off = Arrivals::OnOff { on: ms(200), off: ms(100), gap: ms(50) };
    for arrivals in [&poisson, &burst, &on_off] {
        let (plain, redrawn) = (first_two(&arrivals.start(), false), first_two(&arrivals.start(), true));
        assert_ne!(plain, redrawn, "{arrivals:?} is drawn again");
        // 600 ms with a standard error of 0.7 ms
        assert!((redrawn[0] - 600.0).abs() < 4.0, "{arrivals:?}: {redrawn:?}");
        assert!((redrawn[1] - plain[1]).abs() < 6.0, "{arrivals:?}: {redrawn:?}, not {plain:?}");
    }
}

#[test]
fn a_first_arrival_at_once_stays() {
    let poisson = Arrivals::Poisson { mean_gap: ms(100) };
    let process = poisson.start_at_once();
    assert_eq!(first_two(&process, true)[0], 500.0);
    assert_eq!(first_two(&process, true), first_two(&process, false));
}
