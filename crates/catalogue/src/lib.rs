//! The catalogue of networks, one row each.
//!
//! ```
//! use sojourn_catalogue::NETWORKS;
//! use sojourn_scenario::check;
//!
//! let kinds = NETWORKS.kinds();
//! let mut document = kinds.parse("example.toml", &kinds.template("lontalk").unwrap())?;
//! document.set("background.rate", "300 /s", "--set background.rate=300 /s")?;
//! let scenario = check(&document)?;
//! assert_eq!(scenario.members().len(), 34);
//! assert_eq!(scenario.list("flow")[1].table("arrivals").word("kind"), "periodic");
//!
//! // a mistake has a place, a message and a hint
//! let problems = document.set("background.rte", "300 /s", "--set background.rte=300 /s").unwrap_err();
//! assert_eq!(problems.0[0].help.as_deref(), Some("did you mean `rate`?"));
//! # Ok::<(), sojourn_scenario::Problems>(())
//! ```

pub mod fuzz;

use sojourn_model::Catalogue;

/// The networks that Sojourn simulates. A user writes `kind = "lontalk"`.
pub const NETWORKS: Catalogue = Catalogue(&[
    &sojourn_fddi::FddiNetwork,
    &sojourn_fddi::adapter::FddiAdapterNetwork,
    &sojourn_lan::ip::IpNetwork,
    &sojourn_lontalk::LonTalkNetwork,
    &sojourn_modbus::ModbusNetwork,
    &sojourn_mstp::MstpNetwork,
    &sojourn_packet_radio::PacketRadioNetwork,
    &sojourn_queue::QueueNetwork,
    &sojourn_lan::switched::SwitchedLanNetwork,
]);
