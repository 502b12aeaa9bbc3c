use std::net::SocketAddr;

use super::*;
use crate::io::link::{Peer, udp};
use crate::io::network_error::NetworkError;
use crate::target::Target;
use crate::transport::NoFrames;

/// Repeats a question every 5 ms until it is answered.
#[derive(Debug, Default)]
struct Asking {
    due: Option<Time>,
    outbox: Vec<&'static [u8]>,
    asked: u32,
    answered: bool,
}

enum Input {
    Ask,
    Heard,
}

impl Machine for Asking {
    type Input = Input;
    type Output = &'static [u8];

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Ask => self.ask(now),
            Input::Heard => (self.answered, self.due) = (true, None),
        }
    }

    fn wake(&mut self, now: Time) {
        if self.due.is_some_and(|due| due <= now) {
            self.ask(now);
        }
    }

    fn poll_output(&mut self) -> Option<&'static [u8]> {
        self.outbox.pop()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.due
    }
}

impl Asking {
    fn ask(&mut self, now: Time) {
        self.asked += 1;
        self.outbox.push(b"question");
        self.due = Some(now + Duration::from_millis(5));
    }
}

struct Questioner {
    peer: Peer,
    begun: bool,
    refusals: Vec<NetworkError>,
}

impl Handler<Asking> for Questioner {
    fn decode(&mut self, _now: Time, _from: Peer, datagram: &[u8]) -> Option<Input> {
        (datagram == b"answer").then_some(Input::Heard)
    }

    fn encode(&mut self, _now: Time, output: &'static [u8], datagram: &mut Vec<u8>) -> Option<Peer> {
        datagram.extend_from_slice(output);
        Some(self.peer)
    }

    fn notice(&mut self, _now: Time, refusal: NetworkError) -> Option<Input> {
        self.refusals.push(refusal);
        None
    }

    fn poll_app(&mut self, now: Time, machine: &mut Asking) -> AppPoll {
        if !std::mem::replace(&mut self.begun, true) {
            machine.handle(now, Input::Ask);
        }
        if machine.answered || !self.refusals.is_empty() { AppPoll::Done } else { AppPoll::Wait(Time::NEVER) }
    }
}

fn link_at(address: SocketAddr) -> Link {
    udp::at(&Target::parse(&format!("xtp+udp://{address}"), &["xtp+udp"]).unwrap()).unwrap()
}

fn link_to(address: SocketAddr) -> Link {
    udp::to(&Target::parse(&format!("xtp+udp://{address}"), &["xtp+udp"]).unwrap()).unwrap()
}

/// Answers the `which`-th question alone, after garbage.
fn answer_the(which: usize, mut link: Link) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 100];
        let mut heard = 0;
        while heard < which {
            link.wait(Duration::from_secs(5));
            while let Received::Datagram(from, _) = link.receive(&mut buffer) {
                heard += 1;
                link.send(from, b"garbage").unwrap();
                if heard == which {
                    link.send(from, b"answer").unwrap();
                }
            }
        }
    })
}

#[test]
fn a_machine_s_timers_expire_by_the_real_clock_until_its_answer_comes() {
    let other = link_at(SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0)));
    let peer = other.local();
    let thread = answer_the(3, other);
    let mut frames = NoFrames;
    let mut driver = Driver::new(link_to(peer), InjectedLoss::new(1, 0, "test", 0.0), &mut frames);
    let (mut machine, mut handler) =
        (Asking::default(), Questioner { peer: peer.into(), begun: false, refusals: Vec::new() });
    driver.run(&mut machine, &mut handler);
    thread.join().unwrap();
    assert!(machine.answered);
    // while the answer is in flight it may ask again
    assert!(machine.asked >= 3);
    let waits = Duration::from_millis(5).times(u64::from(machine.asked) - 1);
    assert!(driver.clock.now() >= Time::ZERO + waits, "a wait of 5 ms lies between two of {} questions", machine.asked);
}

#[test]
fn injected_loss_hides_questions_from_the_network_and_the_machine_asks_again() {
    let other = link_at(SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0)));
    let peer = other.local();
    let thread = answer_the(2, other);
    let mut frames = NoFrames;
    let mut driver = Driver::new(link_to(peer), InjectedLoss::new(1, 0, "test", 0.7), &mut frames);
    let (mut machine, mut handler) =
        (Asking::default(), Questioner { peer: peer.into(), begun: false, refusals: Vec::new() });
    driver.run(&mut machine, &mut handler);
    thread.join().unwrap();
    assert_eq!(driver.loss.offered(), u64::from(machine.asked));
    assert!(driver.loss.offered() - driver.loss.dropped() >= 2);
    assert!(driver.loss.dropped() > 0);
}

#[test]
fn a_refusal_of_the_network_reaches_the_application() {
    let peer = link_at(SocketAddr::from((std::net::Ipv4Addr::LOCALHOST, 0))).local();
    let mut frames = NoFrames;
    let mut driver = Driver::new(link_to(peer), InjectedLoss::new(1, 0, "test", 0.0), &mut frames);
    let (mut machine, mut handler) =
        (Asking::default(), Questioner { peer: peer.into(), begun: false, refusals: Vec::new() });
    driver.run(&mut machine, &mut handler);
    assert_eq!(handler.refusals, [NetworkError::PortClosed]);
}
