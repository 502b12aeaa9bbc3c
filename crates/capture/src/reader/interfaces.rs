//! The interfaces of all files, numbered in order of their first packet.

use super::record::Description;
use crate::LinkType;

/// An interface of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name in the capture, if that states one.
    pub name: Option<String>,
    /// Link type of its packets.
    pub link_type: LinkType,
    /// Speed of its medium in bit/s, if the capture states it.
    pub speed: Option<u64>,
    /// Packets captured.
    pub packets: u64,
    /// Packets of which the capture holds a part only.
    pub cut: u64,
}

/// Interfaces that files have described. One of the same description in a later file is the same interface, unless the
/// file that it is in still lasts.
#[derive(Debug, Default)]
pub(super) struct Interfaces {
    pub all: Vec<Interface>,
    /// The file that provides each, and its number there.
    provided: Vec<(Option<usize>, usize)>,
}

impl Interfaces {
    /// The number of interface `local` of `file`.
    pub fn number(&mut self, file: usize, local: usize, description: &Description) -> u32 {
        let same = |(index, found): (usize, &(Option<usize>, usize))| {
            let known = &self.all[index];
            found.0.is_none()
                && found.1 == local
                && (&known.name, known.link_type) == (&description.name, description.link_type)
        };
        if let Some(index) = self.provided.iter().enumerate().position(same) {
            self.provided[index].0 = Some(file);
            return index as u32;
        }
        let Description { name, link_type, speed } = description.clone();
        self.all.push(Interface { name, link_type, speed, packets: 0, cut: 0 });
        self.provided.push((Some(file), local));
        self.all.len() as u32 - 1
    }

    /// A file has ended.
    pub fn release(&mut self, file: usize) {
        for (provider, _) in &mut self.provided {
            *provider = provider.filter(|&known| known != file);
        }
    }
}
