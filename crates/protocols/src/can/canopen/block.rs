//! Block download of an SDO (CiA 301, 7.2.4.3): a client writes an object in blocks of up to 127 segments of 7 bytes, and the server answers
//! each block. Data are zeros, whose CRC is zero.

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};

use super::{Object, SEGMENT};

/// Most segments of a block.
pub const MOST_SEGMENTS: u8 = 127;

/// A message of a block download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Client: write this many bytes.
    Begin(Object, u32),
    /// Server: the first block may have this many segments.
    Started(Object, u8),
    /// Client: a segment, from 1 on; whether it is the last of all.
    Segment(u8, bool),
    /// Server: segments up to this one are taken, and the next block may have this many.
    Taken(u8, u8),
    /// Client: all is sent; bytes of the last segment that are not data.
    End(u8),
    /// Server: all is written.
    Ended,
}

impl Block {
    /// Its bytes.
    pub fn to_bytes(self) -> [u8; 8] {
        let begin = |command: u8, Object { index, subindex }: Object, size: u32| {
            let ([low, high], [a, b, c, d]) = (index.to_le_bytes(), size.to_le_bytes());
            [command, low, high, subindex, a, b, c, d]
        };
        match self {
            // with CRC, and the size is said
            Block::Begin(object, size) => begin(0xc6, object, size),
            Block::Started(object, segments) => begin(0xa4, object, segments.into()),
            Block::Segment(sequence, is_last) => [u8::from(is_last) << 7 | sequence, 0, 0, 0, 0, 0, 0, 0],
            Block::Taken(sequence, segments) => [0xa2, sequence, segments, 0, 0, 0, 0, 0],
            Block::End(unused) => [0xc1 | unused << 2, 0, 0, 0, 0, 0, 0, 0],
            Block::Ended => [0xa1, 0, 0, 0, 0, 0, 0, 0],
        }
    }
}

/// What happens to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockInput {
    /// Write this many bytes.
    Write(Object, u32),
    /// The message before has been sent.
    Transmitted,
    /// A message of the server.
    Received(Block),
}

/// What a client or a server does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockOutput {
    /// Transmit.
    Transmit(Block),
    /// All is written.
    Complete,
    /// No answer, or one to something else.
    Failed,
}

/// A client of one server.
#[derive(Clone, Debug)]
pub struct BlockClient {
    timeout: Duration,
    /// Until when an answer is waited for.
    until: Option<Time>,
    size: u32,
    /// Segments that the server has taken, in blocks before this one.
    taken: u32,
    /// Segments of this block: those that may be sent, and have been.
    allowed: u8,
    sent: u8,
    outputs: VecDeque<BlockOutput>,
}

impl BlockClient {
    /// A client that waits so long for an answer.
    pub fn new(timeout: Duration) -> Self {
        BlockClient { timeout, until: None, size: 0, taken: 0, allowed: 0, sent: 0, outputs: VecDeque::new() }
    }

    fn left(&self) -> u32 {
        self.size.div_ceil(SEGMENT) - self.taken
    }

    /// Sends the next segment of a block, the next only when it has been sent; with the last of the block an answer is due.
    fn segment(&mut self, now: Time) {
        self.sent += 1;
        let is_last = u32::from(self.sent) == self.left();
        self.outputs.push_back(BlockOutput::Transmit(Block::Segment(self.sent, is_last)));
        if is_last || self.sent == self.allowed {
            (self.until, self.allowed) = (Some(now + self.timeout), 0);
        }
    }

    fn block(&mut self, now: Time, segments: u8) {
        (self.until, self.allowed, self.sent) = (None, segments.clamp(1, MOST_SEGMENTS), 0);
        self.segment(now);
    }

    fn end(&mut self, output: BlockOutput) {
        self.until = None;
        self.outputs.push_back(output);
    }

    fn received(&mut self, now: Time, block: Block) {
        if self.until.is_none() {
            return;
        }
        match block {
            Block::Started(_, segments) if self.sent == 0 => self.block(now, segments),
            Block::Taken(sequence, segments) if (1..=self.sent).contains(&sequence) => {
                self.taken += u32::from(sequence);
                match self.left() {
                    0 => {
                        let unused = self.taken * SEGMENT - self.size;
                        self.outputs.push_back(BlockOutput::Transmit(Block::End(unused as u8)));
                        (self.until, self.sent) = (Some(now + self.timeout), 0);
                    }
                    _ => self.block(now, segments),
                }
            }
            Block::Ended if self.left() == 0 => self.end(BlockOutput::Complete),
            _ => self.end(BlockOutput::Failed),
        }
    }
}

impl Machine for BlockClient {
    type Input = BlockInput;
    type Output = BlockOutput;

    fn handle(&mut self, now: Time, input: BlockInput) {
        match input {
            BlockInput::Write(object, size) => {
                (self.size, self.taken, self.allowed, self.sent) = (size.max(1), 0, 0, 0);
                self.until = Some(now + self.timeout);
                self.outputs.push_back(BlockOutput::Transmit(Block::Begin(object, size)));
            }
            BlockInput::Transmitted if self.allowed > 0 => self.segment(now),
            BlockInput::Transmitted => {}
            BlockInput::Received(block) => self.received(now, block),
        }
    }

    fn wake(&mut self, now: Time) {
        if self.until.is_some_and(|until| until <= now) {
            self.end(BlockOutput::Failed);
        }
    }

    fn poll_output(&mut self) -> Option<BlockOutput> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.until
    }
}

/// A server that takes blocks of a number of segments.
#[derive(Clone, Debug)]
pub struct BlockServer {
    segments: u8,
    /// The last segment of this block that is taken.
    taken: u8,
    outputs: VecDeque<Block>,
}

impl BlockServer {
    /// A server without a transfer.
    pub fn new(segments: u8) -> Self {
        BlockServer { segments: segments.clamp(1, MOST_SEGMENTS), taken: 0, outputs: VecDeque::new() }
    }

    /// A message of the client. Segments behind a lost one are sent again.
    pub fn received(&mut self, block: Block) {
        match block {
            Block::Begin(object, _) => {
                self.taken = 0;
                self.outputs.push_back(Block::Started(object, self.segments));
            }
            Block::Segment(sequence, is_last) => {
                self.taken += u8::from(sequence == self.taken + 1);
                if is_last || sequence == self.segments {
                    self.outputs.push_back(Block::Taken(self.taken, self.segments));
                    self.taken = 0;
                }
            }
            Block::End(_) => self.outputs.push_back(Block::Ended),
            Block::Started(..) | Block::Taken(..) | Block::Ended => {}
        }
    }

    /// What it transmits next.
    pub fn poll_output(&mut self) -> Option<Block> {
        self.outputs.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: Object = Object { index: 0x1f50, subindex: 1 };
    const SECOND: Duration = Duration::from_secs(1);

    /// The messages of a transfer, those of the client marked `>`. The client's message with the number `lost` does not arrive.
    fn exchanged(size: u32, segments: u8, lost: Option<usize>) -> (Vec<String>, Option<BlockOutput>) {
        let (mut client, mut server) = (BlockClient::new(SECOND), BlockServer::new(segments));
        let (mut said, mut number) = (Vec::new(), 0);
        client.handle(Time::ZERO, BlockInput::Write(OBJECT, size));
        loop {
            match client.poll_output() {
                Some(BlockOutput::Transmit(block)) => {
                    let [first, second, ..] = block.to_bytes();
                    said.push(format!(">{first:02x}{second:02x}"));
                    if lost != Some(number) {
                        server.received(block);
                    }
                    number += 1;
                    client.handle(Time::ZERO, BlockInput::Transmitted);
                }
                Some(end) => return (said, Some(end)),
                None => match server.poll_output() {
                    Some(block) => {
                        let [first, second, ..] = block.to_bytes();
                        said.push(format!("{first:02x}{second:02x}"));
                        client.handle(Time::ZERO, BlockInput::Received(block));
                    }
                    None if client.next_wakeup().is_some() => client.wake(Time::ZERO + SECOND),
                    None => return (said, None),
                },
            }
        }
    }

    #[test]
    fn twenty_bytes_are_three_segments_of_one_block() {
        // the segments have 21 bytes, one more than the data: n = 1
        let (said, end) = exchanged(20, 127, None);
        assert_eq!(said.join(" "), ">c650 a450 >0100 >0200 >8300 a203 >c500 a100");
        assert_eq!(end, Some(BlockOutput::Complete));
    }

    #[test]
    fn each_block_is_answered() {
        let (said, end) = exchanged(28, 2, None);
        assert_eq!(said.join(" "), ">c650 a450 >0100 >0200 a202 >0100 >8200 a202 >c100 a100");
        assert_eq!(end, Some(BlockOutput::Complete));
    }

    #[test]
    fn what_follows_a_lost_segment_is_sent_again_and_a_lost_last_one_ends_the_transfer() {
        // the second of four is lost: the server has taken one
        let (said, end) = exchanged(28, 127, Some(2));
        assert_eq!(said.join(" "), ">c650 a450 >0100 >0200 >0300 >8400 a201 >0100 >0200 >8300 a203 >c100 a100");
        assert_eq!(end, Some(BlockOutput::Complete));
        assert_eq!(exchanged(28, 127, Some(4)).1, Some(BlockOutput::Failed));
    }
}
