//! Measurements of services, against servers of this test that are slow, refuse, or answer for others.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration as Span;

use sojourn_core::Duration;
use sojourn_live::prober::plan::{Http, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_metrics::record::{Observation, Record};

use crate::reflector::{measured, plan, recorded};

const SLOW: Span = Span::from_millis(300);

/// Serves each connection on a thread of its own until the test ends.
fn serve(serve: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads the head of one request; false at the end of the connection.
fn asked(stream: &mut TcpStream) -> bool {
    let mut head = Vec::new();
    let mut octet = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut octet) {
            Ok(1) => head.push(octet[0]),
            _ => return false,
        }
    }
    true
}

/// A server of HTTP/1.1 that begins each answer so much later.
fn http_server(status: &'static str, delay: Span) -> SocketAddr {
    serve(move |mut stream| {
        while asked(&mut stream) {
            thread::sleep(delay);
            let _ = stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nhello").as_bytes());
        }
    })
}

fn seconds(record: &Record, name: &str, quantile: f64) -> f64 {
    record.distribution(name).quantile(quantile).unwrap().seconds()
}

/// The means of the phases, in seconds.
fn phases(record: &Record) -> Vec<(String, f64)> {
    let Observation::Budget(budget) = &record.metrics["delay_budget"] else { panic!("a budget") };
    budget.components().iter().cloned().zip(budget.means().unwrap()).collect()
}

#[test]
fn an_open_loop_keeps_its_schedule_while_the_server_is_slow_and_the_delay_is_that_of_the_first_byte() {
    let server = http_server("200 OK", SLOW);
    let record = recorded(&format!("http://{server}/"), plan(Duration::from_secs(1)));
    let responses = record.distribution("response_time");
    assert_eq!(responses.count(), 100, "each answer takes thirty intervals of requests");
    assert!(seconds(&record, "response_time", 0.5) >= 0.3);
    assert!(seconds(&record, "phase/first_byte", 0.5) >= 0.3);
    assert!(seconds(&record, "phase/connect", 0.5) < 0.1);
    assert!(seconds(&record, "lateness", 0.5) < 0.1, "a slow answer delays no later request");
    assert!(!record.metrics.contains_key("phase/resolve") && !record.metrics.contains_key("phase/tls"));
}

#[test]
fn the_phases_of_requests_add_up_to_their_response_times() {
    let server = http_server("200 OK", Span::ZERO);
    let record = recorded(&format!("http://localhost:{}/", server.port()), plan(Duration::from_millis(300)));
    let phases = phases(&record);
    assert_eq!(
        phases.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["resolve", "connect", "tls", "first_byte", "whole"]
    );
    let (sum, mean) = (phases.iter().map(|(_, mean)| mean).sum::<f64>(), record.distribution("response_time").mean());
    let mean = mean.unwrap();
    assert!((sum - mean).abs() < 1e-9, "{sum} of {mean}");
    assert!(phases[0].1 > 0.0 && phases[2].1 == 0.0, "a name is resolved, and there is no TLS");
}

#[test]
fn a_kept_connection_is_opened_once() {
    let server = http_server("200 OK", Span::ZERO);
    let http = Http { keeps_connections: true, ..Http::default() };
    let slow = Schedule::Periodic { interval: Duration::from_millis(100) };
    let plan = TimedTest { http, schedule: slow, ..plan(Duration::from_secs(1)) };
    let record = recorded(&format!("http://{server}/"), plan);
    let (opened, asked) = (record.distribution("phase/connect").count(), record.distribution("phase/whole").count());
    assert!(opened < 5 && asked == 10, "{opened} of {asked}");
}

#[test]
fn a_status_of_500_is_an_answer_that_counts_as_a_failure_of_its_kind() {
    let server = http_server("503 Service Unavailable", Span::ZERO);
    let record = recorded(&format!("http://{server}/"), plan(Duration::from_millis(300)));
    assert_eq!((record.total("failures"), record.total("failures/http_503")), (30, 30));
    assert_eq!((record.value("loss"), record.distribution("response_time").count()), (0.0, 0), "nothing was lost");
    assert_eq!(record.distribution("response_time").censored(), 30);
    let times = record.distribution("failure_time/http_503");
    assert!(times.count() == 30 && times.max().unwrap() < Duration::from_secs(1), "{times:?}");
}

#[test]
fn refused_connections_end_a_measurement_that_never_had_an_answer() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let measured = measured(&format!("http://{closed}/"), plan(Duration::from_secs(20)));
    let failure = measured.experiments[0].failure.clone();
    assert!(failure.as_ref().unwrap().contains("connection refused"), "{failure:?}");
    let record = &measured.experiments[0].records[0];
    let failed = record.total("failures/connection_refused");
    assert!((50..200).contains(&failed), "{failed} in the second that it lasted");
    let others = record.total("failures") - failed;
    assert!(others <= 1, "{others} besides the one that was open as the measurement ended");
    assert_eq!(record.value("loss"), 1.0);
}

/// A server that answers its first five connections, and lets `then` serve the others.
fn good_at_first(then: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> SocketAddr {
    let served = Arc::new(AtomicU32::new(0));
    serve(move |mut stream| {
        asked(&mut stream);
        match served.fetch_add(1, Ordering::Relaxed) {
            0..5 => drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")),
            _ => then(stream),
        }
    })
}

#[test]
fn an_answer_that_never_ends_times_out_and_one_cut_short_is_a_lost_connection() {
    let beginning = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel";
    let stuck = good_at_first(move |mut stream| {
        let _ = stream.write_all(beginning);
        thread::sleep(Span::from_secs(60));
    });
    let cut = good_at_first(move |mut stream| drop(stream.write_all(beginning)));
    for (server, kind) in [(stuck, "failures/timeout"), (cut, "failures/connection_lost")] {
        let plan = TimedTest { timeout: Duration::from_millis(400), ..plan(Duration::from_millis(300)) };
        let record = recorded(&format!("http://{server}/"), plan);
        assert_eq!((record.total("failures"), record.total(kind)), (25, 25));
    }
}

#[test]
fn what_cannot_be_outstanding_is_not_sent_and_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().take(5).flatten() {
            asked(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
        // the kernel still accepts connections, and no thread serves them
        thread::sleep(Span::from_secs(60));
    });
    let schedule = Schedule::Periodic { interval: Duration::from_micros(500) };
    let plan = TimedTest { schedule, timeout: Duration::from_secs(2), ..plan(Duration::from_millis(600)) };
    let record = recorded(&format!("http://{server}/"), plan);
    let [all, not_sent, timeouts] =
        ["failures", "failures/not_sent", "failures/timeout"].map(|name| record.total(name));
    assert_eq!((timeouts, not_sent + timeouts), (512, all));
    assert!(not_sent > 100, "{not_sent} of {all}");
}

/// A DNS server over UDP that answers as `reply` makes of a query.
fn dns_server(reply: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    thread::spawn(move || {
        let mut query = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut query) {
            for response in reply(&query[..length]) {
                let _ = socket.send_to(&response, from);
            }
        }
    });
    address
}

/// The response to a query, without records, with this response code.
fn response(query: &[u8], code: u8) -> Vec<u8> {
    let mut response = query.to_vec();
    response[2] |= 0x80;
    response[3] = 0x80 | code;
    response
}

#[test]
fn queries_have_random_ids_and_responses_to_others_are_counted_as_strangers() {
    let server = dns_server(|query| {
        let mut other_id = response(query, 0);
        other_id[0] ^= 0x80;
        let mut other_name = response(query, 0);
        other_name[13] ^= 1;
        vec![other_id, other_name, b"short".to_vec(), response(query, 0)]
    });
    let measured = measured(&format!("dns://{server}/example.org"), plan(Duration::from_millis(500)));
    let record = &measured.experiments[0].records[0];
    assert_eq!((record.distribution("response_time").count(), record.value("loss")), (50, 0.0));
    assert!(record.distribution("path_time").count() > 0, "the kernel takes timestamps");
    let strangers = measured.warnings.iter().find_map(|warning| warning.split_once(" datagrams received were not"));
    let strangers: u32 = strangers.expect("they are counted").0.parse().unwrap();
    // now and then another ID is that of another query
    assert!((140..=150).contains(&strangers), "{strangers}");
}

#[test]
fn response_codes_and_truncation_are_failures_of_their_kind() {
    for (code, kind) in [(3, "dns_nxdomain"), (2, "dns_servfail"), (5, "dns_refused")] {
        let server = dns_server(move |query| vec![response(query, code)]);
        let record = recorded(&format!("dns://{server}/example.org?type=AAAA"), plan(Duration::from_millis(200)));
        assert_eq!((record.total("failures"), record.total(&format!("failures/{kind}"))), (20, 20));
    }
    let server = dns_server(|query| {
        let mut truncated = response(query, 0);
        truncated[2] |= 0x02;
        vec![truncated]
    });
    let record = recorded(&format!("dns://{server}/example.org"), plan(Duration::from_millis(200)));
    assert_eq!(record.total("failures/truncated"), 20);
}

#[test]
fn a_query_over_tcp_has_a_connection_of_its_own() {
    let server = serve(|mut stream| {
        let mut length = [0; 2];
        if stream.read_exact(&mut length).is_err() {
            return;
        }
        let mut query = vec![0; u16::from_be_bytes(length).into()];
        stream.read_exact(&mut query).unwrap();
        let _ = stream.write_all(&[&length[..], &response(&query, 0)].concat());
    });
    let record = recorded(&format!("dns://{server}/example.org?over=tcp"), plan(Duration::from_millis(300)));
    for phase in ["phase/connect", "phase/first_byte", "phase/whole"] {
        assert_eq!(record.distribution(phase).count(), 30, "{phase}");
    }
}
