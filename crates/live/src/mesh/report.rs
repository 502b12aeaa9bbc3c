//! What an agent reports to its coordinator, a line of JSON each.

use serde::{Deserialize, Serialize};
use sojourn_metrics::record::Observation;

use crate::prober::windows::event::WindowEvent;

/// Octets of a line, at most: a window with the most requests that an order may have.
pub const LONGEST: u32 = 8 << 20;

/// A line of an agent.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Message {
    /// Something happened in the sessions with a peer of the order, by its place.
    Event(usize, WindowEvent),
    /// The order is not carried out.
    Refused(String),
}

impl Message {
    /// What happened in the sessions with a peer. Numbers that JSON does not have, such as rates of a window without length, are
    /// left out.
    pub fn event(peer: usize, mut event: WindowEvent) -> Message {
        if let WindowEvent::Window(window) = &mut event {
            window.record.metrics.retain(|_, observation| is_finite(observation));
            window.record.loads.retain(|_, load| load.offered.is_finite() && load.carried.is_finite());
        }
        Message::Event(peer, event)
    }

    /// As a line; `None` of what cannot be one.
    pub fn line(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    /// Reads a line on one of `peers` peers.
    pub fn read(line: &[u8], peers: usize) -> Result<Message, String> {
        let other =
            |fault| format!("a line of the agent cannot be read ({fault}): install the same release at both ends");
        let message = serde_json::from_slice(line).map_err(other)?;
        match message {
            Message::Event(peer, _) if peer >= peers => Err(format!("a line on peer {peer} of {peers}")),
            message => Ok(message),
        }
    }
}

/// Whether JSON has the numbers of an observation.
fn is_finite(observation: &Observation) -> bool {
    match observation {
        Observation::Scalar(value) => value.is_finite(),
        Observation::Estimate { value, interval: [low, high] } => [value, low, high].iter().all(|one| one.is_finite()),
        Observation::TimeWeighted { mean, max } => mean.is_finite() && max.is_finite(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prober::windows::event::Window;
    use sojourn_core::Duration as Span;
    use sojourn_metrics::distribution::Distribution;

    fn window(responses: usize) -> Window {
        let mut window = Window { begin_ns: 5, end_ns: 9, sent: 10, answered: 9, ..Window::default() };
        window.responses = vec![Span::from_nanos(17_000_123); responses];
        let mut distribution = Distribution::new();
        window.responses.iter().for_each(|response| distribution.record(*response));
        distribution.censor(1);
        window.record.observe("response_time", Observation::Distribution(distribution));
        window.record.share("loss", 1, 10);
        window
    }

    #[test]
    fn a_window_is_read_as_it_was_written() {
        let messages = [
            Message::Event(2, WindowEvent::Window(Box::new(window(9)))),
            Message::Event(0, WindowEvent::OutageBegan { at_ns: 7, cause: Some("no listener".into()) }),
            Message::Event(1, WindowEvent::Address("192.0.2.7".parse().unwrap())),
            Message::Refused("too many".into()),
        ];
        for message in messages {
            assert_eq!(Message::read(&message.line().unwrap(), 3), Ok(message));
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_left_out_of_a_window() {
        let mut window = window(9);
        window.record.scalar("transaction_rate", f64::INFINITY);
        window.record.scalar("outage_time", 2.5);
        let line = Message::event(0, WindowEvent::Window(Box::new(window))).line().unwrap();
        let Ok(Message::Event(0, WindowEvent::Window(read))) = Message::read(&line, 1) else { panic!("a window") };
        let names: Vec<&str> = read.record.metrics.keys().map(String::as_str).collect();
        assert_eq!(names, ["loss", "outage_time", "response_time"]);
    }

    #[test]
    fn what_is_no_event_of_a_peer_is_refused() {
        let line = Message::Event(3, WindowEvent::Ended(None)).line().unwrap();
        assert!(Message::read(&line, 3).unwrap_err().contains("peer 3 of 3"));
        assert!(Message::read(b"{}", 3).is_err());
    }

    #[test]
    fn the_longest_window_fits_a_line() {
        let mut window = window(4096);
        let own = window.record.metrics["response_time"].clone();
        (0..24).for_each(|number| window.record.observe(format!("metric-{number}"), own.clone()));
        let line = Message::Event(0, WindowEvent::Window(Box::new(window))).line().unwrap();
        assert!(line.len() < LONGEST as usize, "{} B", line.len());
    }
}
