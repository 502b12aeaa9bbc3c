//! Measures servers by HTTP/1.1 and HTTP/2 (RFC 9110, 9112, 9113), with and without TLS.

pub(crate) mod certificate;
mod connection;
mod origin;
mod requests;
mod tls;
mod trust;

use std::sync::Arc;

use sojourn_scenario::Problems;
use tokio_rustls::rustls::pki_types::ServerName;

use self::connection::KeptConnections;
use self::origin::Origin;
use self::requests::{Client, Expected, Server};
use self::trust::Expiry;
use crate::prober::service_peer::ServicePeer;
use crate::prober::tcp_peer;
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, TIMED_KEYS, Transport};
use crate::transports::probe_reflector::{self, cannot_reach};

/// `http://host/path` and `https://host/path`: GET requests to a server.
#[derive(Debug)]
pub struct Http {
    information: &'static Information,
}

/// The keys of requests, with and without TLS.
const REQUEST_KEYS: &[&str] = &[
    "measure.http_version",
    "measure.connection",
    "measure.method",
    "measure.header",
    "measure.body",
    "measure.status",
    "measure.contains",
];

/// Without TLS.
pub const PLAIN: Http = Http {
    information: &Information {
        scheme: "http",
        form: "http://HOST[:80][/PATH]",
        summary: "GET or POST requests to any server of HTTP/1.1 or, with --http-version 2, HTTP/2 without TLS; a status of \
              400 or above counts as a failure, unless --status names it.",
        needs: None,
        sources: &["RFC 9110", "RFC 9112", "RFC 9113"],
        keys: &[TIMED_KEYS, REQUEST_KEYS],
        link_type: None,
        is_timed: true,
        scenario: None,
    },
};

/// Over TLS.
pub const OVER_TLS: Http = Http {
    information: &Information {
        scheme: "https",
        form: "https://HOST[:443][/PATH]",
        summary: "GET or POST requests over TLS 1.2 or 1.3 to any server, in the version of HTTP that it prefers; a status of \
              400 or above counts as a failure, unless --status names it.",
        needs: None,
        sources: &["RFC 9110", "RFC 9112", "RFC 9113", "RFC 8446", "RFC 7301"],
        keys: &[TIMED_KEYS, REQUEST_KEYS, &["measure.ca_file", "measure.insecure", "measure.pin"]],
        link_type: None,
        is_timed: true,
        scenario: None,
    },
};

impl Transport for Http {
    fn information(&self) -> &'static Information {
        self.information
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let origin = Origin::of(target)?;
        let (address, name) = (origin.address, target.to_string());
        let plan = measurement.plan.as_ref().ok_or_else(|| target.whole_problem("the measurement has no schedule"))?;
        tcp_peer::check(plan, target)?;
        let expiry = Arc::new(Expiry::default());
        let tls = match ServerName::try_from(origin.host.clone()) {
            _ if !origin.is_secure => None,
            Ok(name) => Some((tls::connector(&plan.http, expiry.clone())?, name)),
            Err(_) => return Err(target.whole_problem("TLS needs a host name or an address without interface").into()),
        };
        let kept = plan.http.keeps_connections.then(KeptConnections::default);
        let version = plan.http.version;
        let origin = origin.asking(&plan.http, target)?;
        let expected = Expected { statuses: plan.http.statuses.clone(), contains: plan.http.contains.clone() };
        probe_reflector::measure_at(target, name, measurement, |clock, plan| {
            let client = Client { origin, tls, version, kept, expected, marking: plan.marking, clock };
            let server = Server { client: Arc::new(client), expiry };
            ServicePeer::of(server, clock, plan.timeout).map_err(|fault| cannot_reach(target, address, &fault))
        })
    }

    fn listen(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message = "sojourn is not a server of HTTP: measure any that there is";
        Err(target.problem(0..target.scheme().len(), message).into())
    }
}
