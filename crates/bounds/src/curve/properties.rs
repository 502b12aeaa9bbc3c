//! Property tests: the laws of the algebra, checked against their definitions at many points.

use proptest::prelude::*;

use super::*;

fn whole(number: i128) -> Rational {
    Rational::from_integer(number)
}

prop_compose! {
    fn any_arrival()(buckets in prop::collection::vec((0i128..60, 0i128..20), 1..5)) -> Arrival {
        let buckets = buckets.into_iter().map(|(burst, rate)| Arrival::token_bucket(whole(burst), whole(rate)));
        buckets.reduce(|one, other| one.min(&other)).expect("there is one")
    }
}

prop_compose! {
    fn any_server()(rate in 1i128..30, latency in 0i128..15) -> RateLatency {
        RateLatency::new(whole(rate), whole(latency))
    }
}

prop_compose! {
    fn any_service()(parts in prop::collection::vec(any_server(), 1..4)) -> Service {
        Service::largest(parts).expect("there is one")
    }
}

/// Times at which curves are compared: thirds, since most corners are not whole numbers.
fn times() -> impl Iterator<Item = Rational> {
    (0..120).map(|third| Rational::new(third, 3))
}

proptest! {
    #[test]
    fn a_sum_is_the_sum_everywhere(one in any_arrival(), other in any_arrival()) {
        let sum = one.plus(&other);
        for time in times() {
            prop_assert_eq!(sum.at(time), one.at(time) + other.at(time));
        }
        prop_assert_eq!(sum, other.plus(&one));
    }

    #[test]
    fn a_minimum_is_the_smaller_everywhere_and_needs_no_bucket_twice(one in any_arrival(), other in any_arrival()) {
        let least = one.min(&other);
        for time in times() {
            prop_assert_eq!(least.at(time), one.at(time).min(other.at(time)));
        }
        let corners: Vec<Rational> = least.corners().collect();
        prop_assert!(corners.is_sorted_by(|earlier, later| earlier < later));
        prop_assert_eq!(least.min(&one), least);
    }

    #[test]
    fn one_server_after_another_serves_the_least_of_all_splits_of_the_time(one in any_service(), other in any_service()) {
        let both = one.then(&other);
        for time in times().step_by(7) {
            let split = |part: i128| one.at(time * part / 42) + other.at(time - time * part / 42);
            let least = (0..=42).map(split).min().unwrap();
            prop_assert!(both.at(time) <= least);
        }
        prop_assert_eq!(&both, &other.then(&one));
        prop_assert_eq!(both.rate(), one.rate().min(other.rate()));
        // the least split is reached where one of the parts ends at a corner
        for time in times().step_by(7) {
            let corners = one.corners().filter(|corner| *corner <= time).chain(other.corners().filter(|corner| *corner <= time).map(|corner| time - corner));
            let ends = [whole(0), time].into_iter().chain(corners);
            let least = ends.map(|part| one.at(part) + other.at(time - part)).min().unwrap();
            prop_assert_eq!(both.at(time), least);
        }
    }

    #[test]
    fn bounds_are_the_largest_deviations(arrival in any_arrival(), service in any_service()) {
        let (delay, backlog) = (arrival.delay_bound(&service), arrival.backlog_bound(&service));
        prop_assert_eq!(delay.is_none(), arrival.rate() > service.rate());
        prop_assert_eq!(backlog.is_none(), arrival.rate() > service.rate());
        let (Some(delay), Some(backlog)) = (delay, backlog) else { return Ok(()) };
        for time in times() {
            prop_assert!(service.at(time + delay) >= arrival.at(time), "at {time} after {delay}");
            prop_assert!(arrival.at(time) - service.at(time) <= backlog);
        }
        let reached = |time: Rational| service.serves(arrival.at(time)) - time == delay;
        let levels = service.corners().filter_map(|corner| {
            let level = service.at(corner);
            let times = arrival.buckets().iter().filter(|bucket| bucket.rate > whole(0)).map(|bucket| (level - bucket.burst) / bucket.rate);
            times.max().filter(|time| *time >= whole(0))
        });
        let candidates = [whole(0)].into_iter().chain(arrival.corners()).chain(levels);
        prop_assert!(delay == whole(0) || candidates.into_iter().any(reached), "{delay} is not reached");
    }

    #[test]
    fn what_leaves_in_any_time_is_bounded_by_the_output_curve(arrival in any_arrival(), server in any_server()) {
        let Some(output) = arrival.output(&server) else { return Ok(()) };
        for time in times().step_by(5) {
            // the deconvolution: the most that may have waited, and arrived since
            let most = times().map(|before| arrival.at(time + before) - server.at(before)).max().unwrap();
            prop_assert!(output.at(time) >= most);
            let corners = arrival.corners().map(|corner| corner - time).chain([server.latency, whole(0)]);
            let exact = corners.filter(|before| *before >= whole(0)).map(|before| arrival.at(time + before) - server.at(before)).max();
            prop_assert_eq!(output.at(time), exact.unwrap());
        }
    }

    #[test]
    fn others_leave_no_more_than_was_there(service in any_service(), others in any_arrival()) {
        let Some(left) = service.left_over(&others) else { return Ok(()) };
        for time in times() {
            prop_assert_eq!(left.at(time), (service.at(time) - others.at(time)).max(whole(0)).max(left_so_far(&service, &others, time)));
        }
    }

    #[test]
    fn a_larger_burst_never_waits_less_and_a_faster_server_never_longer(
        arrival in any_arrival(), server in any_server(), more in 0i128..50,
    ) {
        let larger = arrival.plus(&Arrival::token_bucket(whole(more), whole(0)));
        let faster = RateLatency::new(server.rate + whole(more), server.latency);
        if let Some(delay) = arrival.delay_bound(&server.into()) {
            prop_assert!(larger.delay_bound(&server.into()).unwrap() >= delay);
            prop_assert!(arrival.delay_bound(&faster.into()).unwrap() <= delay);
        }
    }
}

/// What was left at the best moment before: a cumulative curve never falls.
fn left_so_far(service: &Service, others: &Arrival, time: Rational) -> Rational {
    let moments = service.corners().chain(others.corners()).filter(|moment| *moment <= time);
    moments.map(|moment| service.at(moment) - others.at(moment)).max().unwrap_or_default().max(whole(0))
}
