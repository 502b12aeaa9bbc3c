use super::*;

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Two phases of a minute, begun now.
fn begun(gauge: &Gauge) {
    let phase = |name, begins_ms, ends_ms| Span { name, begins: at(begins_ms), ends: at(ends_ms) };
    gauge.begin(Clock::start(), &[phase("idle", 0, 60_000), phase("loaded", 60_000, 120_000)]);
}

#[test]
fn before_a_measurement_there_is_nothing_to_say_and_a_new_one_forgets_the_last() {
    let gauge = Gauge::default();
    assert_eq!(gauge.standing(), None);
    begun(&gauge);
    gauge.sent();
    gauge.answered(at(1), Duration::from_micros(7));
    assert_eq!(gauge.standing().unwrap().phases[0].answered, 1);
    begun(&gauge);
    let standing = gauge.standing().unwrap();
    assert_eq!((standing.sent, standing.phases[0].answered, standing.phase), (0, 0, "idle"));
}

#[test]
fn every_phase_has_its_own_quantiles_and_losses() {
    let gauge = Gauge::default();
    begun(&gauge);
    (1..=100).for_each(|us| gauge.answered(at(500), Duration::from_micros(us)));
    gauge.lost(at(600));
    gauge.answered(at(60_000), Duration::from_millis(9));
    let standing = gauge.standing().unwrap();
    let [idle, loaded] = &standing.phases[..] else { panic!("two phases were begun") };
    let response = idle.response.unwrap();
    assert_eq!((response.min, response.p50, response.p99, response.max), (1e-6, 50e-6, 99e-6, 100e-6));
    assert_eq!((idle.answered, idle.lost, loaded.answered, loaded.lost), (100, 1, 1, 0));
    assert_eq!(loaded.response.unwrap().p50, 9e-3);
}

#[test]
fn the_course_has_a_median_for_each_slot_and_none_where_nothing_came() {
    let gauge = Gauge::default();
    begun(&gauge);
    for response_us in [30, 10, 20] {
        gauge.answered(at(900), Duration::from_micros(response_us));
    }
    gauge.lost(at(2500));
    gauge.answered(at(3100), Duration::from_micros(5));
    let standing = gauge.standing().unwrap();
    assert_eq!(standing.slot_s, 1.0);
    let slot = |p50_s, max_s, lost| Slot { p50_s, max_s, lost };
    let came = slot(Some(20e-6), Some(30e-6), 0);
    let open = slot(Some(5e-6), Some(5e-6), 0);
    assert_eq!(standing.course, [came, slot(None, None, 0), slot(None, None, 1), open]);
}

#[test]
fn a_load_is_reported_as_a_rate_and_the_noise_floor_as_it_was_found() {
    let gauge = Gauge::default();
    begun(&gauge);
    assert_eq!(gauge.standing().unwrap().load_bit_rate, 0.0);
    gauge.noise_floor(31e-6);
    let before = std::time::Instant::now();
    std::thread::sleep(std::time::Duration::from_millis(250));
    gauge.carried().fetch_add(1_000_000, Ordering::Relaxed);
    let standing = gauge.standing().unwrap();
    let most = 8e6 / before.elapsed().as_secs_f64().min(0.25);
    assert!(standing.load_bit_rate > 0.0 && standing.load_bit_rate <= most, "{}", standing.load_bit_rate);
    assert_eq!(standing.noise_floor_s, Some(31e-6));
}

#[test]
fn what_was_reported_a_moment_ago_is_reported_again_and_the_samples_between_are_not_lost() {
    const MOMENT: std::time::Duration = std::time::Duration::from_millis(200);
    // again where this thread was put aside for longer than the moment
    loop {
        let gauge = Gauge::default();
        begun(&gauge);
        let reported = std::time::Instant::now();
        let first = gauge.standing().unwrap();
        gauge.answered(at(1), Duration::from_micros(7));
        let again = gauge.standing().unwrap();
        if reported.elapsed() < MOMENT {
            assert_eq!(again, first);
            std::thread::sleep(MOMENT);
            break assert_eq!(gauge.standing().unwrap().phases[0].answered, 1);
        }
    }
}
