//! A path through nodes: a command to each, and its confirmation.
//!
//! Nodes respond with `Connected to CALL` in one spelling or another, or with `Failure`, `Busy` or `Disconnected`.

use sojourn_core::{Duration, Time};

/// Responses of nodes to success and to failure.
const WELL: &str = "connected to";
const BADLY: [&str; 5] = ["failure", "busy", "disconnected", "invalid", "unknown"];
/// Octets of a response that are kept at most.
const LONGEST_ANSWER: usize = 1024;

/// Commands sent one after the other.
#[derive(Clone, Debug)]
pub struct NodePath {
    lines: Vec<String>,
    time_out: Duration,
    /// Commands confirmed so far.
    passed: usize,
    /// When the outstanding command was sent.
    outgoing: Option<Time>,
    answer: String,
    fault: Option<String>,
}

impl NodePath {
    /// These commands, each with a timeout.
    pub fn new(lines: &[String], time_out: Duration) -> NodePath {
        NodePath { lines: lines.to_vec(), time_out, passed: 0, outgoing: None, answer: String::new(), fault: None }
    }

    /// The link to the first node is up: start from the first command.
    pub fn begin(&mut self) {
        (self.passed, self.outgoing) = (0, None);
        self.answer.clear();
    }

    /// The link is down; an outstanding command has failed.
    pub fn broken(&mut self) {
        if let Some(line) = self.lines.get(self.passed).filter(|_| self.outgoing.is_some()) {
            self.fault.get_or_insert_with(|| format!("`{line}` was not answered"));
        }
    }

    /// Whether the far station is reached.
    pub fn is_open(&self) -> bool {
        self.passed == self.lines.len()
    }

    /// The next command, if none is outstanding.
    pub fn write(&mut self, now: Time) -> Option<Vec<u8>> {
        if self.outgoing.is_some() {
            return None;
        }
        let line = self.lines.get(self.passed)?;
        self.outgoing = Some(now);
        Some(format!("{line}\r").into_bytes())
    }

    /// Takes a node's output.
    pub fn take(&mut self, data: &[u8]) {
        let room = LONGEST_ANSWER.saturating_sub(self.answer.len());
        self.answer.push_str(&String::from_utf8_lossy(&data[..data.len().min(room)]));
        let answer = self.answer.to_ascii_lowercase();
        if let (Some(line), true) = (self.lines.get(self.passed), BADLY.iter().any(|word| answer.contains(word))) {
            self.fault = Some(format!("`{line}` was answered with `{}`", self.answer.trim().escape_debug()));
        } else if answer.contains(WELL) {
            self.passed += 1;
            self.outgoing = None;
            self.answer.clear();
        }
    }

    /// A node's error, if any.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// When the outstanding command times out.
    pub fn due(&self) -> Time {
        self.outgoing.map_or(Time::NEVER, |outgoing| outgoing + self.time_out)
    }

    /// Whether it has timed out.
    pub fn is_late(&self, now: Time) -> bool {
        now >= self.due()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_waits_for_the_confirmation_of_the_previous_one() {
        let lines = ["C NODEB".to_owned(), "C PONG-1".to_owned()];
        let mut node_path = NodePath::new(&lines, Duration::from_secs(60));
        assert_eq!(node_path.write(Time::ZERO), Some(b"C NODEB\r".to_vec()));
        assert_eq!(node_path.write(Time::ZERO), None);
        node_path.take(b"ALPHA:NODEA} Connected");
        assert!(!node_path.is_open());
        node_path.take(b" to BRAVO:NODEB\r");
        assert_eq!(node_path.write(Time::ZERO), Some(b"C PONG-1\r".to_vec()));
        node_path.take(b"BRAVO:NODEB} Connected to PONG-1\r");
        assert!(node_path.is_open());
    }

    #[test]
    fn a_node_that_fails_is_quoted() {
        let mut node_path = NodePath::new(&["C NOWHERE".to_owned()], Duration::from_secs(60));
        node_path.write(Time::ZERO);
        node_path.take(b"ALPHA:NODEA} Failure with NOWHERE\r");
        assert_eq!(node_path.fault(), Some("`C NOWHERE` was answered with `ALPHA:NODEA} Failure with NOWHERE`"));
    }
}
