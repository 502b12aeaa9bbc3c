//! The identifiers of messages and responses: of each sender, and of each receiver that is polled.

use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::j1939::{Address, CONNECTION_MANAGEMENT, Identifier};
use sojourn_scenario::Table;

use crate::keys::rules::is_poll;

/// The identifiers of a sender's messages and responses.
pub struct Ids<'t> {
    table: &'t Table,
    /// From the declared identifiers to those of this sender.
    offset: u32,
    /// From those of one receiver to those of the next: polls ask each by its own.
    step: u32,
    to_all: bool,
}

impl<'t> Ids<'t> {
    /// Of a sender by its place, with this many receivers.
    pub fn of(table: &'t Table, place: u32, receivers: u32) -> Self {
        let between = table.integer("id_step") as u32;
        match is_poll(table) {
            true => Ids { table, offset: place * receivers * between, step: between, to_all: false },
            false => Ids { table, offset: place * between, step: 0, to_all: receivers > 1 },
        }
    }

    fn id(&self, value: u32) -> Id {
        let made = if self.table.flag("extended") { Id::extended(value) } else { Id::base(value) };
        // an identifier that follows from others stays within its bits
        made.unwrap_or_else(|error| match error.bits {
            11 => Id::Base((value & Id::BASE_LIMIT) as u16),
            _ => Id::Extended(value & Id::EXTENDED_LIMIT),
        })
    }

    fn own(&self) -> u32 {
        self.table.integer("id") as u32 + self.offset
    }

    /// Of messages to a receiver, on the first bus and behind gateways.
    pub fn forth(&self, receiver: u32) -> [Id; 2] {
        let own = match self.table.word_is("service", "j1939") {
            true => self.transport(self.address(receiver), self.own() as u8, self.to_all),
            false => self.own() + receiver * self.step,
        };
        self.behind(own, receiver)
    }

    /// The address of a receiver of J1939: that of the identifier, or another than that of the sender.
    fn address(&self, receiver: u32) -> u8 {
        match Identifier::of(self.own()) {
            Identifier { destination: Address::Node(first @ 0..=254), .. } => first.wrapping_add(receiver as u8),
            Identifier { source, .. } => source.wrapping_add(0x80 + receiver as u8),
        }
    }

    /// Of responses of a receiver.
    pub fn back(&self, receiver: u32) -> [Id; 2] {
        let own = self.own() + receiver * self.step;
        let declared = self.table.optional_integer("response_id");
        let declared = declared.map(|id| id as u32 + self.offset + receiver * self.step);
        let response = declared.unwrap_or_else(|| match self.table.word("service") {
            "sdo" | "sdo-block" => own.wrapping_sub(0x80),
            "isotp" | "uds" | "request" => own + 8,
            "j1939" => self.transport(self.own() as u8, self.address(receiver), false),
            _ => own,
        });
        self.behind(response, receiver)
    }

    /// The identifier of the transport protocol between two addresses, with the priority that its frames have.
    fn transport(&self, destination: u8, source: u8, to_all: bool) -> u32 {
        let destination = if to_all { 0xff } else { destination };
        let address = Address::Node(destination);
        Identifier { priority: 7, pgn: CONNECTION_MANAGEMENT, destination: address, source }.value()
    }

    fn behind(&self, first: u32, receiver: u32) -> [Id; 2] {
        let offset = self.offset + receiver * self.step;
        let behind = self.table.optional_integer("gateway_id").map_or(first, |id| id as u32 + offset);
        [first, behind].map(|id| self.id(id))
    }
}

#[cfg(test)]
mod tests {
    /// The identifiers of a flow to two nodes: of its messages and of the answers.
    fn identifiers(keys: &str) -> [Vec<u32>; 2] {
        let text = format!(
            "[network]\nkind = \"can\"\n[bus]\n[[station]]\nname = \"master\"\n[[station]]\nname = \"node\"\ncount = 2\n\
             [[flow]]\nname = \"f\"\nfrom = \"master\"\nto = \"node\"\n{keys}\n"
        );
        let site = crate::scenario::site(&crate::NETWORKS.checked(&text, &[])).unwrap();
        let sender = &site.flows[0].senders[0];
        [&sender.forth, &sender.back].map(|hops| hops.iter().map(|&hop| site.hops[hop as usize].id.value()).collect())
    }

    const POLL: &str = "arrivals = { kind = \"poll\", cycle = \"1 s\" }";

    #[test]
    fn polls_ask_each_node_by_its_own_identifiers() {
        let of = |keys: &str| identifiers(&format!("{POLL}\n{keys}"));
        // CiA 301: SDO requests at 600h and the node, answers at 580h and the node
        assert_eq!(of("service = \"sdo\"\nid = 0x601"), [vec![0x601, 0x602], vec![0x581, 0x582]]);
        // ISO 15765-4: diagnostic requests from 7E0h, answers 8 above
        assert_eq!(of("service = \"isotp\"\nid = 0x7e0"), [vec![0x7e0, 0x7e1], vec![0x7e8, 0x7e9]]);
        let apart = "service = \"remote\"\nid = 0x100\nid_step = 16\nresponse_id = 0x200";
        assert_eq!(of(apart), [vec![0x100, 0x110], vec![0x200, 0x210]]);
    }

    #[test]
    fn j1939_takes_its_addresses_from_the_identifier() {
        let keys = "service = \"j1939\"\nextended = true\ndata = \"20 B\"";
        // connection management between 21h and F9h; priority 7
        let [forth, back] = identifiers(&format!("{POLL}\n{keys}\nid = 0x18ef21f9"));
        assert_eq!((forth, back), (vec![0x1cec_21f9, 0x1cec_22f9], vec![0x1cec_f921, 0x1cec_f922]));
        let periodic = "arrivals = { kind = \"periodic\", interval = \"1 s\" }";
        let [forth, _] = identifiers(&format!("{periodic}\n{keys}\nid = 0x18fecaf9"));
        assert_eq!(forth, [0x1cec_fff9], "announced to all");
    }
}
