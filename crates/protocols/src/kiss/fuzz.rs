//! Properties that hold for any input, checked by the fuzz target and by the test that runs its corpus.

use super::{Command, Deframer, Message};

/// Any bytes parse to frames or faults; a parsed frame survives a round trip; a frame after any bytes is found.
pub fn stream(bytes: &[u8]) {
    let mut deframer = Deframer::new(512);
    for byte in bytes {
        let Some(Ok(message)) = deframer.push(*byte) else { continue };
        let mut written = Vec::new();
        message.emit(&mut written).expect("a parsed frame can be written");
        assert_eq!(only(&mut Deframer::new(512), &written), Some(owned(message)));
    }
    let sound = Message { port: 12, command: Command::Data(vec![0xc0, 0xdb, 0xdc, 0xdd, 0]) };
    let mut written = Vec::new();
    sound.emit(&mut written).expect("a port below 16");
    assert_eq!(only(&mut deframer, &written), Some(sound));
}

/// The last frame in these bytes.
fn only(deframer: &mut Deframer, bytes: &[u8]) -> Option<Message<Vec<u8>>> {
    let mut found = None;
    for byte in bytes {
        if let Some(Ok(message)) = deframer.push(*byte) {
            found = Some(owned(message));
        }
    }
    found
}

fn owned(message: Message<&[u8]>) -> Message<Vec<u8>> {
    let command = match message.command {
        Command::Data(data) => Command::Data(data.to_vec()),
        Command::SetHardware(data) => Command::SetHardware(data.to_vec()),
        Command::TxDelay(value) => Command::TxDelay(value),
        Command::Persistence(value) => Command::Persistence(value),
        Command::SlotTime(value) => Command::SlotTime(value),
        Command::TxTail(value) => Command::TxTail(value),
        Command::FullDuplex(on) => Command::FullDuplex(on),
        Command::Return => Command::Return,
    };
    Message { port: message.port, command }
}
