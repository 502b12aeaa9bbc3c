//! A CAN bus at full load.

use std::fmt::Write;

/// Messages of the bus.
const MESSAGES: usize = 50;
/// Time of a frame with 8 bytes and worst-case stuffing at 500 kbit/s, in microseconds.
const FRAME_US: usize = 270;

/// 50 periodic messages of as many nodes on a bus of 500 kbit/s that are one more than it carries on average.
pub fn full_load() -> String {
    let mut text = "[network]\nkind = \"can\"\n[bus]\nstuffing = \"worst\"\n".to_owned();
    let costs = "costs = { send = \"0 s\", receive = \"0 s\" }";
    let _ = write!(text, "[[station]]\nname = \"node\"\ncount = {}\nqueue = \"latest\"\n{costs}\n", MESSAGES + 1);
    for number in 1..=MESSAGES {
        let _ = write!(
            text,
            "[[flow]]\nname = \"m{number}\"\nfrom = \"node-{number}\"\nto = \"node-{}\"\nid = {number}\n\
             arrivals = {{ kind = \"periodic\", interval = \"{} us\" }}\n",
            MESSAGES + 1,
            FRAME_US * MESSAGES
        );
    }
    text
}
