//! The names of targets, resolved again and again: a session lasts for a day, and a name may move any time.
//!
//! One thread resolves all names, since getaddrinfo(3) blocks. Services resolve for each request and are left out.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sojourn_live::{Target, Watch};

/// Interval between looks at a name.
const EVERY: Duration = Duration::from_secs(180);
/// The same in an outage: the target may have moved, and its name follows later.
const EVERY_IN_OUTAGE: Duration = Duration::from_secs(10);
/// How often the thread looks for what is due.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The name of a target.
#[derive(Debug)]
pub struct Name {
    /// The URL as written, if its host is a name that sessions resolve.
    target: Option<Target>,
    /// The address of the session that lasts.
    current: Mutex<Option<IpAddr>>,
    /// Set once the name no longer has that address.
    moved: Arc<AtomicBool>,
    is_outage: AtomicBool,
}

impl Name {
    /// The name of a target, if its host is one.
    pub fn of(target: &Target) -> Name {
        let is_followed = target.is_name() && !matches!(target.scheme(), "http" | "https");
        Name {
            target: is_followed.then(|| target.clone()),
            current: Mutex::new(None),
            moved: Arc::default(),
            is_outage: AtomicBool::new(false),
        }
    }

    /// None: who measures resolves it.
    pub fn none() -> Name {
        Name { target: None, current: Mutex::new(None), moved: Arc::default(), is_outage: AtomicBool::new(false) }
    }

    /// Whether there is a name to follow.
    pub fn is_followed(&self) -> bool {
        self.target.is_some()
    }

    /// The flag that ends a session whose target has moved.
    pub fn moved(&self) -> Arc<AtomicBool> {
        self.moved.clone()
    }

    /// A session begins at this address.
    pub fn begins_at(&self, address: IpAddr) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
        self.moved.store(false, Ordering::Relaxed);
    }

    /// An outage begins, or has ended.
    pub fn outage(&self, lasts: bool) {
        self.is_outage.store(lasts, Ordering::Relaxed);
    }

    /// Takes the addresses that the name resolves to now: the session ends if its own is no longer among them.
    fn found(&self, addresses: &[IpAddr]) {
        let current = *self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if current.is_some_and(|current| !addresses.contains(&current)) {
            self.moved.store(true, Ordering::Relaxed);
        }
    }
}

/// When a name is resolved.
#[derive(Debug)]
struct Due {
    /// When it was resolved last.
    last: Instant,
    /// Whether it was in an outage then.
    was_outage: bool,
}

impl Due {
    /// Whether it is time to resolve the name again; at the begin of an outage it is.
    fn is_due(&self, is_outage: bool, now: Instant) -> bool {
        let since = now.duration_since(self.last);
        since >= EVERY || (is_outage && (!self.was_outage || since >= EVERY_IN_OUTAGE))
    }
}

/// Resolves names, on this thread, until the watch is cancelled.
pub fn follow(names: &[Arc<Name>], watch: &Watch) {
    let begin = || Due { last: Instant::now(), was_outage: false };
    let mut all: Vec<(&Name, &Target, Due)> =
        names.iter().filter_map(|name| Some((&**name, name.target.as_ref()?, begin()))).collect();
    while !all.is_empty() && !watch.is_cancelled() {
        for (name, target, due) in &mut all {
            let is_outage = name.is_outage.load(Ordering::Relaxed);
            if due.is_due(is_outage, Instant::now()) {
                // a name that does not resolve for now has not moved
                target.addresses().iter().for_each(|addresses| name.found(addresses));
                due.last = Instant::now();
            }
            due.was_outage = is_outage;
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(url: &str) -> Name {
        Name::of(&sojourn_live::find(url).unwrap().1)
    }

    #[test]
    fn a_session_ends_once_the_name_has_lost_its_address() {
        let name = named("udp-echo://localhost:7");
        let [old, new] = ["10.9.0.2", "10.9.0.3"].map(|text| text.parse().unwrap());
        name.found(&[new]);
        assert!(!name.moved().load(Ordering::Relaxed), "no session is open");
        name.begins_at(old);
        name.found(&[new, old]);
        assert!(!name.moved().load(Ordering::Relaxed), "it is one of several");
        name.found(&[new]);
        assert!(name.moved().load(Ordering::Relaxed));
        name.begins_at(new);
        assert!(!name.moved().load(Ordering::Relaxed));
    }

    #[test]
    fn addresses_and_services_are_not_followed() {
        let followed = ["udp-echo://localhost:7", "udp-echo://127.0.0.1:7", "icmp://[::1]", "http://localhost/"];
        assert_eq!(followed.map(|url| named(url).is_followed()), [true, false, false, false]);
    }

    #[test]
    fn a_name_is_resolved_at_the_begin_of_an_outage_and_every_few_minutes() {
        let began = Instant::now();
        let after = |was_outage, is_outage, seconds| {
            Due { last: began, was_outage }.is_due(is_outage, began + Duration::from_secs(seconds))
        };
        assert_eq!([60, 179, 180].map(|seconds| after(false, false, seconds)), [false, false, true]);
        assert!(after(false, true, 0), "it begins");
        assert_eq!([5, 10].map(|seconds| after(true, true, seconds)), [false, true]);
    }
}
