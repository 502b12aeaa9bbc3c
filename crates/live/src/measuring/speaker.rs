//! A peer that is a form of datagram over UDP: it writes requests and reads answers, the rest is here.

use std::io;
use std::net::SocketAddr;

use sojourn_core::{Duration, Time};

use super::alarm::Alarm;
use super::datagrams::{Datagrams, Marking};
use super::peer::{Answer, Departed, Far, Heard, Peer, Request};
use super::wall::Step;
use crate::clock::Clock;
use crate::link::{LARGEST_DATAGRAM, Received, Refusal};

/// How requests and answers look on the wire.
pub trait Form {
    /// Writes a request into the empty `datagram`: as many octets as asked for, not fewer than
    /// [`Form::least_octets`]. `leaves` is when it is to leave, on the clock of the measurement.
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>);

    /// Reads an answer: the sequence number of its request, and what the other end says of its times; `None` for what
    /// is none.
    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<Far>)>;

    /// The fewest octets that a request can have.
    fn least_octets(&self) -> u32;
}

/// One who speaks a form to one peer.
#[derive(Debug)]
pub struct Speaker<F> {
    /// The form.
    pub form: F,
    datagrams: Datagrams,
    clock: Clock,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// The number of the request that `outgoing` holds.
    prepared: Option<u64>,
    /// The sequence number of what the kernel calls number 0, as long as nothing but requests leave in order.
    first_of_kernel: Option<u64>,
}

impl<F: Form> Speaker<F> {
    /// Opens a socket to a peer.
    pub fn to(form: F, clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<Speaker<F>> {
        Ok(Speaker::over(form, Datagrams::to(clock, peer, marking)?))
    }

    /// Goes on over a socket that is open.
    pub fn over(form: F, datagrams: Datagrams) -> Speaker<F> {
        let clock = datagrams.clock();
        let incoming = vec![0; LARGEST_DATAGRAM];
        Speaker { form, datagrams, clock, outgoing: Vec::new(), incoming, prepared: None, first_of_kernel: None }
    }

    /// Its socket.
    pub fn datagrams(&mut self) -> &mut Datagrams {
        &mut self.datagrams
    }
}

impl<F: Form> Peer for Speaker<F> {
    fn prepare(&mut self, request: Request) {
        self.outgoing.clear();
        self.form.write(request, request.intended, &mut self.outgoing);
        self.prepared = Some(request.sequence);
    }

    fn send(&mut self, request: Request) -> Result<Time, Refusal> {
        if self.prepared != Some(request.sequence) {
            self.prepare(request);
        }
        let before = self.clock.now();
        let number = self.datagrams.send(&self.outgoing)?;
        self.first_of_kernel = Some(request.sequence.wrapping_sub(number.into()));
        Ok(before)
    }

    fn receive(&mut self) -> Heard {
        let (arrival, datagram) = match self.datagrams.receive(&mut self.incoming) {
            Received::Datagram(arrival, datagram) => (arrival, datagram),
            Received::Notice(refusal) => return Heard::Refused(refusal),
            Received::Nothing => return Heard::Nothing,
        };
        match self.form.read(datagram) {
            Some((sequence, far)) => {
                let (received, kernel_received) = (arrival.at, arrival.kernel_at);
                let marked = self.datagrams.was_marked();
                Heard::Answer(Answer { sequence, received, kernel_received, far, marked })
            }
            None => Heard::Stranger,
        }
    }

    fn departed(&mut self) -> Option<Departed> {
        let (number, at) = self.datagrams.departed()?;
        let first = self.first_of_kernel?;
        Some(Departed { sequence: first.wrapping_add(number.into()), at })
    }

    fn wait(&mut self, alarm: &Alarm) -> bool {
        self.datagrams.wait_for_alarm(alarm)
    }

    fn longest_read(&self) -> Option<Duration> {
        Some(self.datagrams.longest_read())
    }

    fn wait_in_reading(&mut self) -> bool {
        self.datagrams.wait_in_reading()
    }

    fn least_octets(&self) -> u32 {
        self.form.least_octets()
    }

    fn steps(&self) -> Vec<Step> {
        self.datagrams.steps().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence number, then zeros.
    struct Plain;

    impl Form for Plain {
        fn write(&mut self, request: Request, _leaves: Time, datagram: &mut Vec<u8>) {
            datagram.extend(request.sequence.to_be_bytes());
            datagram.resize(request.octets as usize, 0);
        }

        fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<Far>)> {
            let (head, _) = datagram.split_first_chunk()?;
            Some((u64::from_be_bytes(*head), None))
        }

        fn least_octets(&self) -> u32 {
            8
        }
    }

    fn speaker(peer: SocketAddr) -> Speaker<Plain> {
        Speaker::to(Plain, Clock::start(), peer, &Marking::default()).unwrap()
    }

    #[test]
    fn an_answer_comes_back_between_stamps_that_stand_in_the_order_of_what_happened() {
        let mut far = Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut speaker = speaker(far.local().unwrap());
        for sequence in 0..3 {
            let sent = speaker.send(Request { sequence, intended: Time::ZERO, octets: 64 }).unwrap();
            far.wait(Duration::from_secs(5));
            let mut buffer = [0; 100];
            let Received::Datagram(arrival, bytes) = far.receive(&mut buffer) else { panic!("it was sent") };
            assert_eq!(bytes.len(), 64);
            far.send_to(arrival.from, bytes).unwrap();
            assert!(speaker.wait_in_reading());
            let departed = speaker.departed().expect("the loopback stamps what leaves");
            let Heard::Answer(answer) = speaker.receive() else { panic!("it was answered") };
            let kernel = answer.kernel_received.expect("the loopback stamps what arrives");
            assert_eq!((answer.sequence, departed.sequence), (sequence, sequence));
            assert!(sent <= departed.at && departed.at <= kernel && kernel <= answer.received);
        }
        assert_eq!(speaker.receive(), Heard::Nothing);
    }

    #[test]
    fn a_closed_port_is_told_and_a_stranger_is_passed_over() {
        let far = Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = far.local().unwrap();
        let mut speaker = speaker(address);
        let mut far = far;
        far.send_to(speaker.datagrams.local().unwrap(), b"?").unwrap();
        assert!(speaker.wait_in_reading());
        assert_eq!(speaker.receive(), Heard::Stranger);
        drop(far);
        speaker.send(Request { sequence: 0, intended: Time::ZERO, octets: 8 }).unwrap();
        assert!(speaker.wait_in_reading());
        assert_eq!(speaker.receive(), Heard::Refused(Refusal::PortClosed));
    }
}
