//! Hosts on switched LANs, from the text of a scenario: by closed forms where there are some, by what must hold
//! elsewhere.

mod alone;
mod crowded;
mod mistakes;
mod transfers;

/// What `sojourn new` shows: two switches, an echo, and three bulk transfers over cells.
fn template() -> String {
    sojourn_lan::NETWORKS.template("switched-lan")
}

/// The template with hosts that take no time and links without length.
fn ideal() -> String {
    let free = "costs = { packet = \"0 s\", per_byte = \"0 s\", ack = \"0 s\", receive_delay = \"0 s\" }";
    let hosts = ["client", "server", "sender", "receiver"];
    let text = hosts.iter().fold(template(), |text, host| {
        text.replace(&format!("name = \"{host}\"\n"), &format!("name = \"{host}\"\n{free}\n"))
    });
    ["left", "right", "trunk"].iter().fold(text.replace("length = \"10 m\"\n", ""), |text, medium| {
        text.replace(&format!("name = \"{medium}\"\n"), &format!("name = \"{medium}\"\nlength = \"0 m\"\n"))
    })
}
