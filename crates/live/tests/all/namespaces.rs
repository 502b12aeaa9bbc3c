//! Two hosts as network namespaces with a link between them, on which addresses and ICMP are those of the kernel.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::Command;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Two namespaces, deleted at the end.
pub struct Namespaces {
    near: String,
    far: String,
}

/// Two hosts with a router between them, deleted at the end.
pub struct Routed {
    near: String,
    router: String,
    far: String,
}

/// Addresses of the far host behind the router.
pub const BEHIND: [&str; 2] = ["10.91.2.2", "fd91:2::2"];

impl Routed {
    /// Creates them; `None` without the rights to.
    pub fn create(name: &str) -> Option<Routed> {
        let [near, router, far] =
            ["near", "router", "far"].map(|side| format!("truth-{name}-{side}-{}", std::process::id()));
        let created = Routed { near, router, far };
        let Routed { near, router, far } = &created;
        let are_added = [near, router, far].into_iter().all(|host| add(host));
        let mut set_up: Vec<String> = Vec::new();
        for (host, number, behind) in [(near, 1, 2), (far, 2, 1)] {
            set_up.extend([
                format!("link add wire netns {host} type veth peer name wire{number} netns {router}"),
                format!("-n {router} address add 10.91.{number}.1/24 dev wire{number}"),
                format!("-n {router} address add fd91:{number}::1/64 dev wire{number} nodad"),
                format!("-n {host} address add 10.91.{number}.2/24 dev wire"),
                format!("-n {host} address add fd91:{number}::2/64 dev wire nodad"),
                format!("-n {router} link set wire{number} up"),
                format!("-n {host} link set wire up"),
                format!("-n {host} link set lo up"),
                format!("-n {host} route add 10.91.{behind}.0/24 via 10.91.{number}.1"),
                format!("-n {host} route add fd91:{behind}::/64 via fd91:{number}::1"),
            ]);
        }
        let is_set_up = are_added && set_up.iter().all(|command| ip(command));
        let forwards = || {
            ["ipv4/ip_forward", "ipv6/conf/all/forwarding"]
                .into_iter()
                .all(|key| std::fs::write(format!("/proc/sys/net/{key}"), "1").is_ok())
        };
        (is_set_up && within(router, forwards)).then_some(created)
    }

    /// Does something on a thread in the near namespace.
    pub fn near<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.near, work)
    }

    /// The same in the far namespace.
    pub fn far<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.far, work)
    }

    /// Whether the router answers what is for the far host with ICMP host unreachable, or forwards it.
    pub fn set_unreachable(&self, is_unreachable: bool) {
        let verb = if is_unreachable { "add" } else { "delete" };
        for address in BEHIND {
            assert!(ip(&format!("-n {} route {verb} unreachable {address}", self.router)));
        }
    }
}

impl Drop for Routed {
    fn drop(&mut self) {
        for name in [&self.near, &self.router, &self.far] {
            ip(&format!("netns delete {name}"));
        }
    }
}

/// Addresses of the far host, two of each family.
pub const FAR: [&str; 4] = ["10.90.0.2", "10.90.0.22", "[fd90::2]", "[fd90::22]"];

impl Namespaces {
    /// Creates them; `None` without the rights to.
    pub fn create(name: &str) -> Option<Namespaces> {
        let [near, far] = ["near", "far"].map(|side| format!("truth-{name}-{side}-{}", std::process::id()));
        let created = Namespaces { near, far };
        let Namespaces { near, far } = &created;
        let are_added = [near, far].into_iter().all(|host| add(host));
        let set_up = [
            format!("link add wire netns {near} type veth peer name wire netns {far}"),
            format!("-n {near} address add 10.90.0.1/24 dev wire"),
            format!("-n {near} address add fd90::1/64 dev wire nodad"),
            format!("-n {far} address add 10.90.0.2/24 dev wire"),
            format!("-n {far} address add 10.90.0.22/24 dev wire"),
            format!("-n {far} address add fd90::2/64 dev wire nodad"),
            format!("-n {far} address add fd90::22/64 dev wire nodad"),
            format!("-n {near} link set lo up"),
            format!("-n {far} link set lo up"),
            format!("-n {near} link set wire up"),
            format!("-n {far} link set wire up"),
        ];
        (are_added && set_up.iter().all(|command| ip(command))).then_some(created)
    }

    /// Does something on a thread in the near namespace, whose threads are in it as well.
    pub fn near<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.near, work)
    }

    /// The same in the far namespace.
    pub fn far<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        within(&self.far, work)
    }

    /// Gives the near host another address.
    pub fn add_near_address(&self, address: &str) {
        assert!(ip(&format!("-n {} address add {address} dev wire nodad", self.near)));
    }

    /// Gives the far host another address.
    pub fn add_far_address(&self, address: &str) {
        assert!(ip(&format!("-n {} address add {address} dev wire nodad", self.far)));
    }

    /// Octets that the far host's interface received and sent.
    pub fn far_octets(&self) -> [u64; 2] {
        let devices = self.far(|| std::fs::read_to_string("/proc/thread-self/net/dev").unwrap());
        let line = devices.lines().find_map(|line| line.trim().strip_prefix("wire:")).unwrap();
        let fields: Vec<u64> = line.split_whitespace().map(|field| field.parse().unwrap()).collect();
        [fields[0], fields[8]]
    }

    /// Sets the near host's interface up or down.
    pub fn set_near_link(&self, state: &str) {
        assert!(ip(&format!("-n {} link set wire {state}", self.near)));
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in [&self.near, &self.far] {
            ip(&format!("netns delete {name}"));
        }
    }
}

/// Adds a namespace whose links have their addresses at once: a router whose link-local address is tentative (RFC 4862,
/// duplicate address detection, up to 2 s) solicits no neighbour, and drops what it forwards over IPv6.
fn add(name: &str) -> bool {
    let without_detection = || {
        ["all", "default"]
            .into_iter()
            .all(|links| std::fs::write(format!("/proc/sys/net/ipv6/conf/{links}/accept_dad"), "0").is_ok())
    };
    ip(&format!("netns add {name}")) && within(name, without_detection)
}

fn ip(arguments: &str) -> bool {
    let ran = Command::new("ip").args(arguments.split(' ')).output();
    ran.is_ok_and(|ran| ran.status.success())
}

fn within<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let namespace = File::open(format!("/run/netns/{name}")).unwrap();
            move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
            work()
        });
        thread.join().unwrap()
    })
}
