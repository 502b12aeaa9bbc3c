//! Agents that measure others for a coordinator: who may ask, for what, and when it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration as Span, Instant};

use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::mesh::order::Order;
use sojourn_live::mesh::permission::Permission;
use sojourn_live::prober::windows::event::WindowEvent;
use sojourn_live::{Listening, Watch, delegate};
use sojourn_protocols::authentication::Key;

use crate::agent::{Agent, KEY, keyed, lines};
use crate::waiting::until;

fn measures(networks: &[&str]) -> AgentSettings {
    let permission = Permission::new(networks.iter().map(|text| text.parse().unwrap()).collect());
    AgentSettings { measures: Some(permission), ..keyed() }
}

/// An agent at an address of the loopback, `127.0.0.N`.
fn agent_at(number: u8, settings: AgentSettings) -> Agent {
    let listening = Listening { agent: Some(settings), ..Listening::default() };
    Agent::at(&format!("sojourn://127.0.0.{number}:0"), listening)
}

fn order(peers: &[&Agent]) -> Order {
    let peers = peers.iter().map(|agent| agent.address.to_string()).collect();
    Order { peers, rate: 20.0, size: 64, dscp: 0, window_s: 1.0, timeout_s: 3.0 }
}

/// A coordinator on a thread.
struct Coordinator {
    watch: Arc<Watch>,
    events: Receiver<(usize, WindowEvent)>,
    thread: std::thread::JoinHandle<Result<(), String>>,
}

fn coordinate(agent: &Agent, order: Order) -> Coordinator {
    let (watch, (sender, events)) = (Arc::new(Watch::new()), channel());
    let (cancelled, peer) = (watch.clone(), agent.address);
    let work =
        move || delegate(peer, &Key::new(KEY), &order, &cancelled, |peer, event| drop(sender.send((peer, event))));
    Coordinator { watch, events, thread: std::thread::spawn(work) }
}

impl Coordinator {
    /// The next event that the closure takes.
    fn next<T>(&self, mut take: impl FnMut(usize, WindowEvent) -> Option<T>) -> T {
        let limit = Instant::now() + Span::from_secs(30);
        loop {
            let left = limit.saturating_duration_since(Instant::now());
            let (peer, event) = self.events.recv_timeout(left).expect("an event");
            if let Some(found) = take(peer, event) {
                return found;
            }
        }
    }

    /// Ends it as its coordinator does.
    fn end(self) -> Result<(), String> {
        self.watch.cancel();
        self.thread.join().unwrap()
    }
}

fn window(peer: usize, event: WindowEvent) -> Option<(usize, u64, u64)> {
    match event {
        WindowEvent::Window(window) => Some((peer, window.sent, window.answered)),
        _ => None,
    }
}

#[test]
fn an_agent_measures_its_peers_and_reports_their_windows() {
    let [oslo, berlin, madrid] = [2, 3, 4].map(|number| agent_at(number, measures(&["127.0.0.0/8"])));
    let coordinator = coordinate(&oslo, order(&[&berlin, &madrid]));
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let (peer, sent, answered) = coordinator.next(window);
        assert_eq!((sent, answered), (20, 20));
        seen[peer] = true;
    }
    assert_eq!(coordinator.end(), Ok(()));
    oslo.stop();
    let reports = berlin.stop();
    assert_eq!(lines(&reports, "opened").len(), 1);
    assert!(lines(&reports, "opened")[0].contains("peer=127.0.0.2:"), "from its own address: {reports:?}");
}

#[test]
fn an_agent_without_the_permission_measures_no_peer() {
    let (oslo, berlin) = (agent_at(2, keyed()), agent_at(3, keyed()));
    let refused = coordinate(&oslo, order(&[&berlin])).thread.join().unwrap().unwrap_err();
    assert!(refused.contains("it measures no others for its clients"), "{refused}");
    oslo.stop();
    assert!(lines(&berlin.stop(), "opened").is_empty());
}

#[test]
fn a_peer_outside_the_permitted_networks_gets_no_packet() {
    let (oslo, berlin) = (agent_at(2, measures(&["127.0.0.4", "10.0.0.0/8"])), agent_at(3, keyed()));
    let coordinator = coordinate(&oslo, order(&[&berlin]));
    let reason = coordinator.next(|_, event| match event {
        WindowEvent::Ended(Some(reason)) => Some(reason),
        _ => None,
    });
    assert!(reason.contains("may not measure 127.0.0.3"), "{reason}");
    coordinator.end().unwrap();
    oslo.stop();
    let reports = berlin.stop();
    assert!(reports.iter().all(|report| report.kind != "log"), "{reports:?}");
}

#[test]
fn without_the_key_no_client_is_answered() {
    let (oslo, berlin) = (agent_at(2, measures(&["127.0.0.0/8"])), agent_at(3, keyed()));
    let guess = Key::new(b"another key than theirs, as long");
    let refused = delegate(oslo.address, &guess, &order(&[&berlin]), &Watch::new(), |_, _| panic!("there is no event"))
        .unwrap_err();
    assert!(refused.contains("key"), "{refused}");
    oslo.stop();
    assert!(lines(&berlin.stop(), "opened").is_empty());
}

#[test]
fn what_is_out_of_range_or_beyond_the_limits_is_refused_with_the_reason() {
    let mut settings = measures(&["127.0.0.0/8"]);
    settings.rules.limits.packet_rate = 10;
    let (oslo, berlin) = (agent_at(2, settings), agent_at(3, keyed()));
    let refused = |order| coordinate(&oslo, order).thread.join().unwrap().unwrap_err();
    let text = refused(order(&[&berlin]));
    assert!(text.contains("sends 10 requests/s at most, and 20 are asked for"), "{text}");
    let text = refused(Order { window_s: 0.1, ..order(&[&berlin]) });
    assert!(text.contains("the window, in seconds, is 0.1"), "{text}");
    oslo.stop();
    assert!(lines(&berlin.stop(), "opened").is_empty());
}

#[test]
fn measuring_ends_with_the_connection_and_not_later() {
    let (oslo, berlin) = (agent_at(2, measures(&["127.0.0.0/8"])), agent_at(3, keyed()));
    let coordinator = coordinate(&oslo, order(&[&berlin]));
    coordinator.next(window);
    coordinator.end().unwrap();
    // the session with the peer is closed by the agent, and none is opened again
    let closed = || (!lines(&berlin.watch.reports(1), "closed").is_empty()).then_some(());
    until("the session's end", closed);
    std::thread::sleep(Span::from_millis(2500));
    assert_eq!(lines(&berlin.watch.reports(1), "opened").len(), 1);
    oslo.stop();
    berlin.stop();
}

#[test]
fn the_coordinator_learns_at_once_that_an_agent_has_ended() {
    let (oslo, berlin) = (agent_at(2, measures(&["127.0.0.0/8"])), agent_at(3, keyed()));
    let windows = AtomicU64::new(0);
    let coordinator = coordinate(&oslo, order(&[&berlin]));
    coordinator.next(|peer, event| window(peer, event).inspect(|_| _ = windows.fetch_add(1, Ordering::Relaxed)));
    oslo.stop();
    let reason = coordinator.thread.join().unwrap().unwrap_err();
    assert!(reason.contains("the agent has ended") || reason.contains("lost"), "{reason}");
    assert_eq!(windows.load(Ordering::Relaxed), 1);
    berlin.stop();
}
