//! A trunk with what its scenario is written from.

use super::bit_rate::bit_rate;
use super::device::{Device, devices, places};
use super::names::Names;
use super::trunk::TrunkSurvey;

/// Time until masters have found each other, s: a lost token, and a sweep of polls for 128 masters that are not there.
pub(super) const WARM_UP: f64 = 10.0;

/// A trunk with its stations and their names.
pub(super) struct Named<'a> {
    pub trunk: &'a TrunkSurvey,
    pub devices: Vec<Device>,
    pub names: Names,
    pub bit_rate: u64,
    /// How the bit rate was inferred.
    pub reason: String,
}

impl<'a> Named<'a> {
    /// That of a trunk, whose names end in a suffix, with the bit rate where the user knows it.
    pub fn of(trunk: &'a TrunkSurvey, suffix: String, stated: Option<u64>) -> Named<'a> {
        let (bit_rate, reason) = bit_rate(trunk, stated);
        let devices = devices(trunk, bit_rate);
        let names = Names::new(suffix, &devices, places(trunk));
        Named { trunk, devices, names, bit_rate, reason }
    }
}
