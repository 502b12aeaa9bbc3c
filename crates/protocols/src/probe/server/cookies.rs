//! Cookies and tokens, derived from the agent's secret.

use std::net::{IpAddr, SocketAddr};

use sojourn_core::{Duration, Time};

use crate::authentication::Key;
use crate::cursor::Writer;
use crate::probe::wire::{Cookie, Nonce, Proof, Token};

/// A cookie is valid in the period in which it was issued and in the next.
pub(super) const COOKIE_LIFETIME: Duration = Duration::from_secs(10);

/// A proof is valid in the period in which it was issued and in the next: longer than any queue, so that a client that
/// receives what was sent seconds ago still confirms it.
const PROOF_LIFETIME: Duration = Duration::from_secs(5);

/// Issues cookies and tokens that cannot be forged without the secret, and verifies cookies without state.
#[derive(Clone, Debug)]
pub(super) struct CookieIssuer {
    secret: Key,
}

impl CookieIssuer {
    pub fn new(secret: Key) -> CookieIssuer {
        CookieIssuer { secret }
    }

    /// The cookie at `now` for a client at `peer`.
    pub fn cookie(&self, now: Time, peer: SocketAddr, nonce: &Nonce) -> Cookie {
        self.secret.tag(&[&message(b"cookie", period(now, COOKIE_LIFETIME), peer, nonce)])
    }

    /// Whether the cookie was issued to that client and has not expired.
    pub fn verifies(&self, now: Time, peer: SocketAddr, nonce: &Nonce, cookie: &Cookie) -> bool {
        let issued_in = |period: u64| self.secret.is_tag(&[&message(b"cookie", period, peer, nonce)], cookie);
        let now = period(now, COOKIE_LIFETIME);
        issued_in(now) || now.checked_sub(1).is_some_and(issued_in)
    }

    /// The proof at `now` in what is sent to the client of a session at `peer`: who returns it has received it there.
    pub fn proof(&self, now: Time, peer: SocketAddr, token: &Token) -> Proof {
        self.proof_of(period(now, PROOF_LIFETIME), peer, token)
    }

    /// Whether the proof was sent to that client and has not expired.
    pub fn confirms(&self, now: Time, peer: SocketAddr, token: &Token, proof: Proof) -> bool {
        let now = period(now, PROOF_LIFETIME);
        let issued_in = |period| self.proof_of(period, peer, token) == proof;
        issued_in(now) || now.checked_sub(1).is_some_and(issued_in)
    }

    fn proof_of(&self, period: u64, peer: SocketAddr, token: &Token) -> Proof {
        let tag = self.secret.tag(&[&message(b"proof ", period, peer, token)]);
        u64::from_be_bytes(*tag.first_chunk().expect("a tag has 16 octets"))
    }

    /// The token of session `number`.
    pub fn token(&self, number: u64, peer: SocketAddr, nonce: &Nonce) -> Token {
        self.secret.tag(&[&message(b"token ", number, peer, nonce)])
    }
}

/// Number of the period of this length that `now` is in.
fn period(now: Time, length: Duration) -> u64 {
    now.since(Time::ZERO).whole(length)
}

/// The tagged message; all parts have fixed lengths, so that messages are unambiguous.
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
    fn a_proof_is_valid_for_its_session_and_address_only_and_for_five_to_ten_seconds() {
        let cookies = CookieIssuer::new(Key::new(b"secret"));
        let (here, there) = ("192.0.2.1:7".parse().unwrap(), "192.0.2.1:8".parse().unwrap());
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let proof = cookies.proof(at(4), here, &[1; 16]);
        assert!(cookies.confirms(at(4), here, &[1; 16], proof) && cookies.confirms(at(9), here, &[1; 16], proof));
        assert!(!cookies.confirms(at(10), here, &[1; 16], proof), "expired");
        assert!(!cookies.confirms(at(4), there, &[1; 16], proof) && !cookies.confirms(at(4), here, &[2; 16], proof));
        assert!(!cookies.confirms(at(4), here, &[1; 16], 0), "none");
    }

    #[test]
    fn a_cookie_is_valid_for_its_client_only_and_for_ten_to_twenty_seconds() {
        let cookies = CookieIssuer::new(Key::new(b"secret"));
        let (here, there) = ("192.0.2.1:7".parse().unwrap(), "192.0.2.1:8".parse().unwrap());
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let cookie = cookies.cookie(at(9), here, &[1; 16]);
        assert!(cookies.verifies(at(9), here, &[1; 16], &cookie) && cookies.verifies(at(19), here, &[1; 16], &cookie));
        assert!(!cookies.verifies(at(20), here, &[1; 16], &cookie), "expired");
        assert!(!cookies.verifies(at(9), there, &[1; 16], &cookie), "another port");
        assert!(!cookies.verifies(at(9), here, &[2; 16], &cookie), "another nonce");
        assert!(!CookieIssuer::new(Key::new(b"other")).verifies(at(9), here, &[1; 16], &cookie), "another secret");
        assert_ne!(cookies.token(0, here, &[1; 16]), cookies.cookie(at(0), here, &[1; 16]), "a cookie is not a token");
    }
}
