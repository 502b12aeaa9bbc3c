//! Fuzzing entry points: URLs of targets, logs of requests, and what servers answer.

#[cfg(feature = "services")]
use hickory_proto::rr::RecordType;
use sojourn_core::Duration;

use crate::prober::request_log::line::LoggedRequest;
use crate::prober::request_log::recovery::{PlannedPhase, PlannedPoint, recover};
use crate::prober::request_log::second::LoggedSecond;
#[cfg(feature = "services")]
use crate::transports::dns::question::Question;

/// Reads bytes as the URL of a target.
pub fn url(bytes: &[u8]) {
    if let Ok((_, target)) = crate::find(&String::from_utf8_lossy(bytes)) {
        let _ = target.host();
        target.is_name();
        crate::transports::check_options(&target);
    }
}

/// Reads bytes as what comes to a Modbus client and to a server: every request ends, once.
pub fn modbus_line(bytes: &[u8]) {
    crate::transports::modbus_line(bytes);
}

/// Reads bytes as frames to clients of UDS and CANopen and to a node: every request ends, once.
pub fn can_frames(bytes: &[u8]) {
    crate::transports::can_frames(bytes);
}

/// Reads bytes as lines of `requests.csv` and `seconds.csv`, and recovers what was measured from them.
pub fn request_log(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let requests: Vec<LoggedRequest> = text.lines().filter_map(LoggedRequest::parse).collect();
    for request in &requests {
        assert_eq!(LoggedRequest::parse(&request.to_string()), Some(*request), "a line reads back");
    }
    let seconds: Vec<LoggedSecond> = text.lines().filter_map(LoggedSecond::parse).collect();
    let phase = |name, loaded| PlannedPhase { name, duration: Duration::from_secs(5), recorded: true, loaded };
    let phases = vec![phase("idle", false), phase("loaded", true)];
    recover(&PlannedPoint { phases, timeout: Duration::from_secs(2), several_sizes: true }, &requests, &seconds);
}

/// Reads bytes as the response of a DNS server.
#[cfg(feature = "services")]
pub fn dns_response(bytes: &[u8]) {
    let name = "sojourn.test".parse().expect("this is a name");
    let question = Question::new(name, RecordType::A).expect("the name can be encoded");
    let _ = question.read(bytes);
}

/// Reads bytes as the certificate of a server.
#[cfg(feature = "services")]
pub fn certificate(bytes: &[u8]) {
    crate::transports::http::certificate::validity(bytes);
}
