//! Clients and servers that go through recorded times in their order, and clients that ask by the clock.

use crate::support::record;
use sojourn_metrics::record::{Observation, Record};

/// A client and a server with nothing between them that takes time, for ten seconds.
fn asked(service: &str, keys: &str) -> Record {
    let text = format!(
        "[network]\nkind = \"ip\"\n[[medium]]\nname = \"wire\"\nrate = \"1000 Gbit/s\"\nlength = \"0 m\"\n[[station]]\nname = \"s\"\n\
         count = 2\n[[flow]]\nname = \"f\"\nfrom = \"s-1\"\nto = \"s-2\"\nservice = \"{service}\"\nprobe = true\n\
         start_spread = \"0 s\"\n{keys}\n[run]\nduration = \"10 s\"\nwarm_up = \"0 s\"\n"
    );
    record(&text, &[])
}

/// Responses, their mean, the shortest and the longest, ms.
fn responses(record: &Record) -> (u64, [f64; 3]) {
    let Observation::Distribution(found) = &record.metrics["response_time"] else { panic!("no distribution") };
    let quantile = |share| found.quantile(share).map_or(f64::NAN, |time| 1e3 * time.seconds());
    (found.count(), [1e3 * found.mean().unwrap_or(f64::NAN), quantile(0.01), quantile(0.99)])
}

fn assert_close(found: [f64; 3], expected: [f64; 3]) {
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
}

#[test]
fn a_server_takes_its_recorded_times_in_their_order_over_and_over() {
    let times = "server_time = { kind = \"recorded\", values = [\"10 ms\", \"20 ms\", \"60 ms\"] }";
    for service in ["echo", "request"] {
        // a round of three requests lasts 500 ms: sixty requests, and each time twenty of them
        let record = asked(
            service,
            &format!("{times}\ninterval = {{ kind = \"recorded\", values = [\"100 ms\", \"100 ms\", \"300 ms\"] }}"),
        );
        let (count, times) = responses(&record);
        assert_eq!(count, 60, "{service}");
        assert_close(times, [30.0, 10.0, 60.0]);
    }
}

#[test]
fn a_request_that_is_due_before_its_answer_waits_for_it_and_does_not_delay_those_behind_it() {
    let times = "server_time = { kind = \"recorded\", values = [\"5 ms\", \"5 ms\", \"5 ms\", \"5 ms\", \"70 ms\"] }";
    for service in ["echo", "request"] {
        let (by_the_clock, _) = responses(&asked(service, &format!("{times}\ninterval = \"20 ms\"")));
        let (closed, _) = responses(&asked(service, &format!("{times}\nthink = \"20 ms\"")));
        // five requests a 100 ms, and a round of 90 ms of the server beside 100 ms of thinking
        assert!((499..=501).contains(&by_the_clock), "{service}: {by_the_clock}");
        assert!((262..=265).contains(&closed), "{service}: {closed}");
    }
}

#[test]
fn times_of_zero_are_recorded_as_well() {
    let keys = "think = { kind = \"recorded\", values = [\"0 s\", \"0 s\"] }\nserver_time = \"10 ms\"";
    assert_eq!(responses(&asked("echo", keys)).0, 999);
}
