//! Lines over a TCP connection that was granted for [`Direction::Measure`](super::wire::Direction::Measure): each is
//! authentic, and in its place.
//!
//! ```text
//!  0 length 4 | 4 tag 16 | 20 octets of the line
//! ```
//!
//! The tag is HMAC-SHA-256 truncated to 128 bits over the token of the session, the number of the connection's request, who
//! speaks, the number of the line, and the line. A token and a number of a request are used once, so that a line is accepted once,
//! in its order, on its connection. Nothing of a line is parsed before its tag is verified.

use thiserror::Error;

use crate::authentication::{Key, TAG_LENGTH, Tag};
use crate::probe::wire::Token;

/// Octets before a line.
const HEAD: usize = 4 + TAG_LENGTH;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Speaker {
    /// The client, which asks.
    Client = 1,
    /// The agent, which measures.
    Agent,
}

impl Speaker {
    /// The one at the other end.
    pub const fn other(self) -> Speaker {
        match self {
            Speaker::Client => Speaker::Agent,
            Speaker::Agent => Speaker::Client,
        }
    }
}

/// What a line is authenticated with, beside its number.
#[derive(Clone, Debug)]
struct Context {
    key: Key,
    token: Token,
    connection: u64,
    speaker: Speaker,
    /// Lines so far.
    lines: u64,
}

impl Context {
    /// What the tag of the next line covers.
    fn parts<'a>(&'a self, numbers: &'a [u8; 17], line: &'a [u8]) -> [&'a [u8]; 3] {
        [&self.token, numbers, line]
    }

    fn numbers(&self) -> [u8; 17] {
        let mut numbers = [0; 17];
        numbers[..8].copy_from_slice(&self.connection.to_be_bytes());
        numbers[8] = self.speaker as u8;
        numbers[9..].copy_from_slice(&self.lines.to_be_bytes());
        numbers
    }
}

/// Encodes the lines of one end.
#[derive(Clone, Debug)]
pub struct LineWriter(Context);

impl LineWriter {
    /// The lines of a speaker on the connection that request number `connection` of a session asked for.
    pub fn new(key: Key, token: Token, connection: u64, speaker: Speaker) -> LineWriter {
        LineWriter(Context { key, token, connection, speaker, lines: 0 })
    }

    /// Appends a line to `buffer`; false for one that is longer than a length can be.
    #[must_use]
    pub fn append(&mut self, line: &[u8], buffer: &mut Vec<u8>) -> bool {
        let Ok(length) = u32::try_from(line.len()) else { return false };
        let tag = self.0.key.tag(&self.0.parts(&self.0.numbers(), line));
        self.0.lines += 1;
        buffer.extend(length.to_be_bytes());
        buffer.extend(tag);
        buffer.extend(line);
        true
    }
}

/// Why what arrived is not the other end's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// It announces a longer line than the other end may send.
    #[error("a line of {0} B is longer than permitted")]
    Long(u32),
    /// The key does not authenticate it, or it is in another's place.
    #[error("a line is not authentic")]
    Unauthenticated,
}

/// Decodes the lines of the other end.
#[derive(Clone, Debug)]
pub struct LineReader {
    context: Context,
    longest: u32,
    arrived: Vec<u8>,
}

impl LineReader {
    /// The same parameters as of the other end's [`LineWriter`], and the longest line, in octets.
    pub fn new(key: Key, token: Token, connection: u64, speaker: Speaker, longest: u32) -> LineReader {
        LineReader { context: Context { key, token, connection, speaker, lines: 0 }, longest, arrived: Vec::new() }
    }

    /// Takes octets as they arrive. At most one line and what arrived with its last octets are kept.
    pub fn push(&mut self, octets: &[u8]) {
        self.arrived.extend(octets);
    }

    /// The next line, once it is complete. After an error nothing of the connection can be trusted.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineError> {
        let Some((length, rest)) = self.arrived.split_first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_be_bytes(*length);
        if length > self.longest {
            return Err(LineError::Long(length));
        }
        let Some((tag, rest)) = rest.split_first_chunk::<TAG_LENGTH>() else { return Ok(None) };
        let (tag, Some(line)): (Tag, _) = (*tag, rest.get(..length as usize)) else { return Ok(None) };
        if !self.context.key.is_tag(&self.context.parts(&self.context.numbers(), line), &tag) {
            return Err(LineError::Unauthenticated);
        }
        let line = line.to_vec();
        self.context.lines += 1;
        self.arrived.drain(..HEAD + length as usize);
        Ok(Some(line))
    }
}

/// Takes any octets as what arrives, in pieces: no line is read of them, whatever they say. Called by the fuzz target and by
/// the tests.
pub fn any_octets(bytes: &[u8]) {
    let mut reader = LineReader::new(Key::new(b"secret"), [7; 16], 1, Speaker::Client, 1000);
    for piece in bytes.chunks(7) {
        reader.push(piece);
        match reader.next_line() {
            Ok(line) => assert_eq!(line, None, "a line needs the key"),
            Err(_) => return,
        }
        assert!(reader.arrived.len() <= HEAD + 1000 + 7);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ends() -> (LineWriter, LineReader) {
        let key = Key::new(b"secret");
        let writer = LineWriter::new(key.clone(), [7; 16], 3, Speaker::Client);
        (writer, LineReader::new(key, [7; 16], 3, Speaker::Client, 100))
    }

    fn written(writer: &mut LineWriter, lines: &[&[u8]]) -> Vec<u8> {
        let mut octets = Vec::new();
        lines.iter().for_each(|line| assert!(writer.append(line, &mut octets)));
        octets
    }

    #[test]
    fn lines_arrive_in_order_however_they_are_cut() {
        let (mut writer, mut reader) = ends();
        let mut found = Vec::new();
        for octet in written(&mut writer, &[b"one", b"", b"three"]) {
            reader.push(&[octet]);
            found.extend(reader.next_line().unwrap());
        }
        assert_eq!(found, [b"one".to_vec(), Vec::new(), b"three".to_vec()]);
    }

    #[test]
    fn a_line_of_another_place_connection_session_speaker_or_key_is_refused() {
        let key = || Key::new(b"secret");
        let twice = {
            let (mut writer, _) = ends();
            let line = written(&mut writer, &[b"one"]);
            [line.clone(), line].concat()
        };
        let of = |mut writer: LineWriter| written(&mut writer, &[b"one"]);
        let others = [
            of(LineWriter::new(Key::new(b"guess"), [7; 16], 3, Speaker::Client)),
            of(LineWriter::new(key(), [8; 16], 3, Speaker::Client)),
            of(LineWriter::new(key(), [7; 16], 4, Speaker::Client)),
            of(LineWriter::new(key(), [7; 16], 3, Speaker::Agent)),
        ];
        for octets in &others {
            let (_, mut reader) = ends();
            reader.push(octets);
            assert_eq!(reader.next_line(), Err(LineError::Unauthenticated));
        }
        let (_, mut reader) = ends();
        reader.push(&twice);
        assert_eq!(reader.next_line(), Ok(Some(b"one".to_vec())));
        assert_eq!(reader.next_line(), Err(LineError::Unauthenticated), "it was accepted once");
    }

    #[test]
    fn a_longer_line_than_permitted_is_refused_by_its_length_alone() {
        let (mut writer, mut reader) = ends();
        reader.push(&written(&mut writer, &[&[0; 101]])[..4]);
        assert_eq!(reader.next_line(), Err(LineError::Long(101)));
    }

    proptest! {
        #[test]
        fn octets_without_the_key_are_no_line(bytes in proptest::collection::vec(any::<u8>(), 0..3000)) {
            any_octets(&bytes);
        }
    }
}
