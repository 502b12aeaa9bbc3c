//! Load towards clients: datagrams due at once for one client are sent as a GSO burst.

use sojourn_protocols::probe::server::Path;

use crate::io::datagrams::{Datagrams, max_segments};

/// Datagrams about to be sent by one socket.
#[derive(Debug, Default)]
pub struct GsoQueue {
    to: Option<Path>,
    /// Octets of each datagram.
    octets: u16,
    /// Traffic class of each datagram.
    class: u8,
    batch: Vec<u8>,
}

impl GsoQueue {
    /// Queues a datagram. Queued datagrams for another client, of another length or class, and a full burst are sent first.
    pub fn add(&mut self, to: Path, class: u8, datagram: &[u8], datagrams: &mut Datagrams) {
        let octets = u16::try_from(datagram.len()).unwrap_or(u16::MAX);
        let full = self.batch.len() >= max_segments(octets) * datagram.len();
        if full || (self.to, self.octets, self.class) != (Some(to), octets, class) {
            self.flush(datagrams);
        }
        (self.to, self.octets, self.class) = (Some(to), octets, class);
        self.batch.extend_from_slice(datagram);
    }

    /// Sends the queued datagrams.
    pub fn flush(&mut self, datagrams: &mut Datagrams) {
        let Some(to) = self.to.take() else { return };
        // datagrams that meet a full send buffer count as sent and lost, as in a full queue of the network
        let _ = datagrams.send_gso(Some((to.peer, to.local, self.class)), &self.batch, self.octets);
        self.batch.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::ReadMode;
    use crate::io::packet_io::Received;

    #[test]
    fn datagrams_of_two_clients_and_two_lengths_arrive_intact_at_their_client() {
        let clock = Clock::start();
        let open = || Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let (mut near, mut first, mut second) = (open(), open(), open());
        let mut load = GsoQueue::default();
        let sent: Vec<(bool, Vec<u8>)> =
            (0..200u8).map(|number| (number % 70 < 5, vec![number; if number < 100 { 64 } else { 80 }])).collect();
        for (to_first, datagram) in &sent {
            let to = if *to_first { &first } else { &second }.local().unwrap();
            load.add(Path { peer: to, local: None }, 0, datagram, &mut near);
        }
        load.flush(&mut near);
        for (is_first, socket) in [(true, &mut first), (false, &mut second)] {
            let mut buffer = [0; 128];
            for (_, datagram) in sent.iter().filter(|(to_first, _)| *to_first == is_first) {
                let Received::Datagram(_, came) = socket.receive(ReadMode::NonBlocking, &mut buffer) else {
                    panic!("not all came")
                };
                assert_eq!(came, datagram);
            }
            assert!(matches!(socket.receive(ReadMode::NonBlocking, &mut buffer), Received::Nothing));
        }
    }
}
