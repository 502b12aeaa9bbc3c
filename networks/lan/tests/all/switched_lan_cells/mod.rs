//! The network of cells, held to its closed forms.

mod buffers;
mod queueing;
mod rates;
mod reference;
mod round_robin;
mod site;
mod statistics;
mod unloaded;
