//! How associations of real hosts behave, where the machine's defaults are a simulation's.

use std::time::SystemTime;

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::{Configuration, Consumption, Limits, Requests};

/// Bytes that a receiver takes beyond what its user has consumed. It must fit into a socket's buffer beside the
/// system's own cost per datagram, or the window itself would cause loss.
const RECEIVE_BUFFER: u32 = 1 << 20;

/// Data packets per request for status: rare enough to cost little, often enough that the window moves smoothly.
const PACKETS_PER_REQUEST: u32 = 8;

/// Silence after which a listener asks whether its peer is still there: on a real network nobody else tells.
const CONTEXT_TIMER: Duration = Duration::from_secs(5);

/// Associations at a time that one listener serves; more are refused.
const ASSOCIATIONS: u32 = 64;

/// An association with data packets of `packet_size` bytes.
pub fn configuration(packet_size: u32) -> Configuration {
    Configuration {
        max_data: packet_size,
        requests: Requests::Every(PACKETS_PER_REQUEST),
        fast_nak: true,
        initial_window: 65_536.max(packet_size),
        receive_buffer: RECEIVE_BUFFER,
        send_buffer: 2 * RECEIVE_BUFFER,
        ctimer: CONTEXT_TIMER,
        ..Configuration::default()
    }
}

/// The same for an echo, which takes no more than it could send back.
pub fn echo_configuration(packet_size: u32) -> Configuration {
    Configuration { consumption: Consumption::Reported, ..configuration(packet_size) }
}

/// What an endpoint holds; keys begin anywhere, so that no peer takes this run's contexts for an earlier one's.
pub fn limits() -> Limits {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Limits { contexts: ASSOCIATIONS, first_serial: (since.as_nanos() / 1000) as u32, ..Limits::default() }
}
