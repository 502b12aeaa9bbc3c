//! BACnet MS/TP: a trunk of masters that ask each other.

use sojourn_core::Duration;

use crate::scenarios;

/// Frames per second of CPU time on a trunk of `masters` at 115200 bit/s, each of which reads a property of the next twice a second, over
/// `seconds` of virtual time.
pub fn trunk(masters: u32, seconds: u64) -> f64 {
    let text = format!(
        "[network]\nkind = \"mstp\"\n[trunk]\nbit_rate = \"115200 bit/s\"\n\
         [[station]]\nname = \"node\"\ncount = {masters}\n[station.costs]\ntoken_latency = \"0.5 ms\"\nreply_latency = \"2 ms\"\n\
         [[flow]]\nname = \"read\"\nfrom = \"node\"\nto = \"partner\"\n\
         arrivals = {{ kind = \"poisson\", interval = \"500 ms\" }}\nprobe = true\n"
    );
    let (processor, record) = scenarios::run("MS/TP", &text, Duration::from_secs(seconds));
    record.loads["trunk"].offered * seconds as f64 / processor
}
