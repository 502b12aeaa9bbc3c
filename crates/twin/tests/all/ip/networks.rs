//! Random IP networks: clients of a server beside transfers, over a link that they share.

use sojourn_core::random::Stream;

use crate::simulated::pick;

/// What differs between networks, as TOML values.
pub struct Network<'a> {
    pub rate: &'a str,
    pub delay: &'a str,
    pub queue: &'a str,
    pub loss: &'a str,
    pub mtu: &'a str,
    /// TCP of both ends of transfers.
    pub tcp: &'a str,
    pub streams: &'a str,
    pub direction: &'a str,
    /// The stations that send requests, as tables, and their names.
    pub clients: &'a str,
    pub names: &'a str,
    pub size: &'a str,
    pub think: &'a str,
    pub think_spread: &'a str,
    /// Delay of the medium of the host that ends transfers, beyond that of the server's.
    pub farther: &'a str,
    pub duration: &'a str,
}

impl Network<'_> {
    /// The scenario.
    pub fn scenario(&self) -> String {
        let Network { rate, delay, queue, loss, mtu, tcp, streams, direction, clients, names, .. } = self;
        let Network { size, think, think_spread, farther, duration, .. } = self;
        format!(
            r#"
            [network]
            kind = "ip"
            [[medium]]
            name = "near"
            [[medium]]
            name = "link"
            rate = "{rate}"
            delay = "{delay}"
            loss = "{loss}"
            mtu = "{mtu}"
            queue = {queue}
            [[medium]]
            name = "far"
            [[medium]]
            name = "farther"
            delay = "{farther}"
            {clients}
            [[station]]
            name = "laptop"
            on = "near"
            tcp = {tcp}
            [[station]]
            name = "one"
            type = "router"
            on = ["near", "link"]
            [[station]]
            name = "two"
            type = "router"
            on = ["link", "far", "farther"]
            [[station]]
            name = "server"
            on = "far"
            [[station]]
            name = "store"
            on = "farther"
            tcp = {tcp}
            [[flow]]
            name = "echo"
            service = "echo"
            probe = true
            from = {names}
            to = "server"
            size = "{size}"
            think = "{think}"
            think_spread = "{think_spread}"
            [background]
            from = "laptop"
            to = "store"
            streams = {streams}
            direction = "{direction}"
            [run]
            duration = "{duration}"
            warm_up = "0 s"
            "#
        )
    }
}

/// One to three clients of a server beside transfers in either direction, for 20 s.
pub fn with_transfers(draws: &mut Stream) -> String {
    let mut of = |choices: &[&'static str]| pick(draws, choices);
    let (rate, delay) = (of(&["2 Mbit/s", "10 Mbit/s", "100 Mbit/s"]), of(&["1 ms", "5 ms", "20 ms"]));
    let queue = of(&["{ kind = \"fifo\", limit = 30 }", "{ kind = \"fifo\" }", "{ kind = \"fq-codel\" }"]);
    let (loss, mtu) = (of(&["0 %", "0 %", "1 %"]), of(&["1500 B", "1500 B", "600 B"]));
    let tcp = of(&["{}", "{}", "{ profile = \"bsd95\" }", "{ sack = false }"]);
    let (streams, direction) = (of(&["0", "1", "3"]), of(&["forward", "backward", "alternating"]));
    let (clients, size) = (of(&["1", "3"]), of(&["64 B", "500 B", "4000 B"]));
    let (think, think_spread) = (of(&["10 ms", "50 ms"]), of(&["5 ms", "40 ms"]));
    let farther = of(&["0 s", "3 ms"]);
    let clients = format!("[[station]]\nname = \"client\"\ncount = {clients}\non = \"near\"");
    let (clients, names, duration) = (clients.as_str(), "\"client\"", "20 s");
    Network {
        rate,
        delay,
        queue,
        loss,
        mtu,
        tcp,
        streams,
        direction,
        clients,
        names,
        size,
        think,
        think_spread,
        farther,
        duration,
    }
    .scenario()
}

/// Two clients, one of which takes time for each packet, beside transfers, for 4 s: their names end in the last numbers of
/// their addresses.
pub fn with_two_clients(draws: &mut Stream) -> String {
    let mut of = |choices: &[&'static str]| pick(draws, choices);
    let (rate, delay, queue) = (
        of(&["2 Mbit/s", "10 Mbit/s", "100 Mbit/s"]),
        of(&["0 s", "1 ms", "20 ms"]),
        of(&[
            "{ kind = \"fifo\", limit = 20 }",
            "{ kind = \"fifo\" }",
            "{ kind = \"fq-codel\" }",
            "{ kind = \"codel\" }",
        ]),
    );
    let (loss, mtu, tcp) = (
        of(&["0 %", "0 %", "1 %", "3 %"]),
        of(&["1500 B", "600 B"]),
        of(&["{}", "{ profile = \"bsd95\" }", "{ sack = false }", "{ timestamps = false }"]),
    );
    let (streams, think, size) = (of(&["0", "1", "3"]), of(&["1 ms", "10 ms"]), of(&["1 B", "64 B", "4000 B"]));
    let clients = "[[station]]\nname = \"client-1\"\non = \"near\"\ncosts = { packet = \"30 us\", receive_delay = \"5 us\" }\n\
                   [[station]]\nname = \"client-2\"\non = \"near\"";
    let names = "[\"client-1\", \"client-2\"]";
    let (direction, think_spread, farther, duration) = ("forward", "5 ms", "0 s", "4 s");
    Network {
        rate,
        delay,
        queue,
        loss,
        mtu,
        tcp,
        streams,
        direction,
        clients,
        names,
        size,
        think,
        think_spread,
        farther,
        duration,
    }
    .scenario()
}
