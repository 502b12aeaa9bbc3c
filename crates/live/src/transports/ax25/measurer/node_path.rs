//! A path through nodes: one command to each node, and its confirmation.
//!
//! A command waits until the node has been silent for a while, so that its greeting is over. The response is what
//! follows the echo of the command, if the node echoes it: a line with the node's prompt (`ALPHA:NODEA} Connected to
//! ...`), a TNC's message (`*** Connected to ...`), or a line that names the called station. Other lines are
//! greetings and texts.

use sojourn_core::{Duration, Time};

/// Beginnings of answers that confirm, and of those that refuse.
const WELL: &str = "connected to";
const BADLY: [&str; 8] = ["failure", "busy", "disconnected", "invalid", "unknown", "not found", "no route", "error"];
/// Words of an answer without a prompt, at most.
const MOST_WORDS: usize = 5;
/// Octets of a response that are kept at most.
const LONGEST_ANSWER: usize = 1024;

/// Commands sent one after the other.
#[derive(Clone, Debug)]
pub struct NodePath {
    lines: Vec<String>,
    time_out: Duration,
    /// How long a node must be silent before its greeting counts as complete.
    quiet: Duration,
    /// Commands confirmed so far.
    passed: usize,
    /// When the outstanding command was sent.
    outgoing: Option<Time>,
    /// When the node was last heard, or the link came up.
    heard: Time,
    answer: String,
    fault: Option<String>,
}

impl NodePath {
    /// These commands, each with a timeout, after the nodes have been silent for `quiet`.
    pub fn new(lines: &[String], time_out: Duration, quiet: Duration) -> NodePath {
        NodePath {
            lines: lines.to_vec(),
            time_out,
            quiet,
            passed: 0,
            outgoing: None,
            heard: Time::ZERO,
            answer: String::new(),
            fault: None,
        }
    }

    /// The link to the first node is up: start from the first command.
    pub fn begin(&mut self, now: Time) {
        (self.passed, self.outgoing, self.heard) = (0, None, now);
        self.answer.clear();
    }

    /// The link is down; an outstanding command has failed.
    pub fn broken(&mut self) {
        if let Some(line) = self.lines.get(self.passed).filter(|_| self.outgoing.is_some()) {
            self.fault.get_or_insert_with(|| format!("`{line}` was not answered"));
        }
    }

    /// Whether the far station is reached, and its greeting over.
    pub fn is_open(&self, now: Time) -> bool {
        self.lines.is_empty() || self.passed == self.lines.len() && now >= self.heard + self.quiet
    }

    /// The next command, if none is outstanding and the node is silent.
    pub fn write(&mut self, now: Time) -> Option<Vec<u8>> {
        if self.outgoing.is_some() || now < self.heard + self.quiet {
            return None;
        }
        let line = self.lines.get(self.passed)?;
        self.outgoing = Some(now);
        self.answer.clear();
        Some(format!("{line}\r").into_bytes())
    }

    /// Takes a node's output.
    pub fn take(&mut self, now: Time, data: &[u8]) {
        self.heard = now;
        let Some(line) = self.lines.get(self.passed).filter(|_| self.outgoing.is_some()) else { return };
        let room = LONGEST_ANSWER.saturating_sub(self.answer.len());
        self.answer.push_str(&String::from_utf8_lossy(&data[..data.len().min(room)]));
        match verdict(line, &self.answer) {
            Some(Ok(())) => {
                self.passed += 1;
                self.outgoing = None;
            }
            Some(Err(answer)) => self.fault = Some(format!("`{line}` was answered with `{}`", answer.escape_debug())),
            None => {}
        }
    }

    /// A node's error, if any.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// When to write next, or when the outstanding command times out.
    pub fn due(&self) -> Time {
        match self.outgoing {
            Some(outgoing) => outgoing + self.time_out,
            None if self.lines.is_empty() => Time::NEVER,
            None => self.heard + self.quiet,
        }
    }

    /// Whether the outstanding command has timed out.
    pub fn is_late(&self, now: Time) -> bool {
        self.outgoing.is_some_and(|outgoing| now >= outgoing + self.time_out)
    }
}

/// What a node has answered to a command, if it has: confirmed it, or refused it with this line.
fn verdict(command: &str, heard: &str) -> Option<Result<(), String>> {
    let command = command.trim().to_ascii_lowercase();
    let called = command.split_whitespace().last().unwrap_or_default();
    // the last line may be incomplete
    let complete = &heard[..=heard.rfind(['\r', '\n'])?];
    let lower = complete.to_ascii_lowercase();
    let begin = lower.rfind(&format!("{command}\r")).map_or(0, |at| at + command.len());
    complete[begin..].split(['\r', '\n']).find_map(|line| {
        let lower = line.trim().to_ascii_lowercase();
        let (marked, text) = match lower.split_once("} ").or_else(|| lower.split_once("*** ")) {
            Some((_, text)) => (true, text.trim_start()),
            None => (false, lower.as_str()),
        };
        if !marked && !is_answer_about(called, text) {
            return None;
        }
        let refuses = |word: &str| text.starts_with(word) || !marked && text.contains(word);
        match text {
            _ if text.starts_with(WELL) => Some(Ok(())),
            _ if BADLY.into_iter().any(refuses) => Some(Err(line.trim().to_owned())),
            _ => None,
        }
    })
}

/// Whether a line without a prompt is an answer about this station: a few words that name it.
fn is_answer_about(station: &str, line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let names = |word: &&str| word.trim_matches(|sign: char| !sign.is_ascii_alphanumeric()) == station;
    words.len() <= MOST_WORDS && words.iter().any(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_secs(5);

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    fn path(lines: &[&str]) -> NodePath {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let mut path = NodePath::new(&lines, Duration::from_secs(60), QUIET);
        path.begin(at(0));
        path
    }

    /// A path whose first command has been sent at 5 s.
    fn asked(line: &str) -> NodePath {
        let mut path = path(&[line]);
        assert_eq!(path.write(at(5)), Some(format!("{line}\r").into_bytes()));
        path
    }

    #[test]
    fn each_command_waits_for_the_confirmation_of_the_previous_one() {
        let mut path = path(&["C NODEB", "C PONG-1"]);
        assert_eq!((path.write(at(4)), path.due()), (None, at(5)));
        assert_eq!(path.write(at(5)), Some(b"C NODEB\r".to_vec()));
        assert_eq!(path.write(at(20)), None);
        path.take(at(20), b"ALPHA:NODEA} Connected");
        path.take(at(21), b" to BRAVO:NODEB\r");
        assert_eq!((path.write(at(25)), path.due()), (None, at(26)), "its greeting may follow");
        assert_eq!(path.write(at(26)), Some(b"C PONG-1\r".to_vec()));
        path.take(at(30), b"BRAVO:NODEB} Connected to PONG-1\r");
        assert!(!path.is_open(at(34)) && path.is_open(at(35)));
    }

    #[test]
    fn a_greeting_is_waited_out_and_is_no_answer() {
        let mut path = path(&["C TST-8"]);
        path.take(at(3), b"You are connected to BPQND\rUnknown users please register\r");
        assert_eq!(path.write(at(7)), None);
        assert_eq!(path.write(at(8)), Some(b"C TST-8\r".to_vec()));
        assert_eq!(path.fault(), None);
        path.take(at(12), b"BPQND:GB7XYZ} Connected to TST-8\r");
        assert!(path.is_open(at(17)));
    }

    #[test]
    fn a_greeting_that_comes_late_is_no_answer_either() {
        let mut path = asked("C TST-8");
        path.take(at(9), b"You are connected to BPQND\rUnknown users please register, TST-8 is our echo\r");
        assert_eq!((path.fault(), path.is_open(at(60))), (None, false));
        path.take(at(12), b"*** connected to TST-8\r");
        assert!(path.is_open(at(17)));
    }

    #[test]
    fn the_answer_follows_the_echo_of_the_command() {
        let mut path = asked("C PONG-1");
        path.take(at(6), b"Busy? PONG-1 is back soon.\rC PONG-1\r");
        assert_eq!(path.fault(), None, "what was said before the echo is not an answer");
        path.take(at(9), b"Connected to PONG-1\r");
        assert!(path.is_open(at(14)));
    }

    #[test]
    fn a_node_that_fails_is_quoted() {
        for answer in ["ALPHA:NODEA} Failure with NOWHERE", "NODEA} Invalid command", "NOWHERE busy", "*** Not found"] {
            let mut path = asked("C NOWHERE");
            path.take(at(9), format!("{answer}\r").as_bytes());
            assert_eq!(path.fault(), Some(format!("`C NOWHERE` was answered with `{answer}`").as_str()));
        }
    }

    #[test]
    fn a_direct_link_is_open_at_once() {
        assert!(path(&[]).is_open(at(0)));
    }
}
