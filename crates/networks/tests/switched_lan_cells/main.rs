//! The network of cells, held to its closed forms.

mod site;
mod unloaded;
