//! A Modbus line that is polled without a pause.

use sojourn_core::Duration;
use sojourn_metrics::merge::merge_metric;

use crate::scenarios;

/// Frames per second of CPU time on a line of 19 200 bit/s whose client reads ten registers of each of `servers`, over
/// `seconds` of virtual time: a request and a response for each transaction.
pub fn line(servers: u32, seconds: u64) -> f64 {
    let text = format!(
        "[network]\nkind = \"modbus\"\n\
         [[medium]]\nname = \"line\"\nbit_rate = \"19200 bit/s\"\n\
         [[station]]\nname = \"client\"\n\
         [[station]]\nname = \"server\"\ncount = {servers}\ndelay = \"5 ms\"\nscan = \"10 ms\"\n\
         [[flow]]\nname = \"readings\"\nfrom = \"client\"\nto = \"server\"\ncount = 10\n"
    );
    let (processor, record) = scenarios::run("Modbus", &text, Duration::from_secs(seconds));
    let response_time = merge_metric("response_time", &[record]).expect("the probe's response time");
    2.0 * response_time.field("count").expect("a distribution") / processor
}
