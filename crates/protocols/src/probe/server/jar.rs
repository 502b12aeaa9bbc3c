//! Cookies and tokens, made of the agent's secret.

use std::net::{IpAddr, SocketAddr};

use sojourn_core::{Duration, Time};

use crate::authentication::Key;
use crate::cursor::Writer;
use crate::probe::wire::{Cookie, Nonce, Token};

/// A cookie is good in the span it was made in and the next.
pub(super) const FRESH: Duration = Duration::from_secs(10);

/// Makes cookies and tokens that nobody without the secret can make, and knows its cookies again.
#[derive(Clone, Debug)]
pub(super) struct Jar {
    secret: Key,
}

impl Jar {
    pub fn new(secret: Key) -> Jar {
        Jar { secret }
    }

    /// The cookie of this moment for a client at `peer`.
    pub fn cookie(&self, now: Time, peer: SocketAddr, nonce: &Nonce) -> Cookie {
        self.secret.tag(&[&message(b"cookie", span(now), peer, nonce)])
    }

    /// Whether it gave that cookie to that client lately.
    pub fn knows(&self, now: Time, peer: SocketAddr, nonce: &Nonce, cookie: &Cookie) -> bool {
        let made_in = |span: u64| self.secret.is_tag(&[&message(b"cookie", span, peer, nonce)], cookie);
        made_in(span(now)) || span(now).checked_sub(1).is_some_and(made_in)
    }

    /// The token of session `number`.
    pub fn token(&self, number: u64, peer: SocketAddr, nonce: &Nonce) -> Token {
        self.secret.tag(&[&message(b"token ", number, peer, nonce)])
    }
}

fn span(now: Time) -> u64 {
    now.since(Time::ZERO).whole(FRESH)
}

/// What is tagged: every part has one length, so that no two cases look alike.
fn message(what: &[u8; 6], number: u64, peer: SocketAddr, nonce: &Nonce) -> [u8; 48] {
    let address = match peer.ip() {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    let mut message = [0; 48];
    let mut writer = Writer::new(&mut message);
    writer.bytes(what);
    writer.u64(number);
    writer.bytes(&address.octets());
    writer.u16(peer.port());
    writer.bytes(nonce);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_good_for_its_bearer_alone_and_for_ten_to_twenty_seconds() {
        let jar = Jar::new(Key::new(b"secret"));
        let (here, there) = ("192.0.2.1:7".parse().unwrap(), "192.0.2.1:8".parse().unwrap());
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let cookie = jar.cookie(at(9), here, &[1; 16]);
        assert!(jar.knows(at(9), here, &[1; 16], &cookie) && jar.knows(at(19), here, &[1; 16], &cookie));
        assert!(!jar.knows(at(20), here, &[1; 16], &cookie), "too old");
        assert!(!jar.knows(at(9), there, &[1; 16], &cookie), "another port");
        assert!(!jar.knows(at(9), here, &[2; 16], &cookie), "another nonce");
        assert!(!Jar::new(Key::new(b"other")).knows(at(9), here, &[1; 16], &cookie), "another secret");
        assert_ne!(jar.token(0, here, &[1; 16]), jar.cookie(at(0), here, &[1; 16]), "a cookie is no token");
    }
}
