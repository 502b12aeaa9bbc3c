//! The receive descriptors: entries of the host's ring that the adapter has read and not yet used.

use super::context::Context;
use super::interface::Work;
use super::settings::Settings;

/// Free buffers of the host, as the adapter knows them.
#[derive(Clone, Debug)]
pub struct Descriptors {
    /// Read and not yet used.
    held: u32,
    /// Free in host memory, not yet read.
    posted: u32,
    reading: bool,
    per_read: u32,
    /// Entries of a frame.
    segments: u32,
    prefetch: bool,
}

impl Descriptors {
    /// All entries free, none read.
    pub fn new(settings: &Settings) -> Self {
        Descriptors {
            held: 0,
            posted: settings.host.ring_entries,
            reading: false,
            per_read: settings.stages.descriptors_per_read,
            segments: settings.host.segments,
            prefetch: settings.stages.prefetch,
        }
    }

    /// Whether a frame can have its entries now.
    #[inline]
    pub fn are_at_hand(&self) -> bool {
        self.held >= self.segments
    }

    /// Whether all free entries, read or not, are enough for this many frames.
    pub fn cover(&self, frames: u32) -> bool {
        self.held + self.posted >= frames * self.segments
    }

    /// A frame takes its entries, if they are at hand.
    #[inline]
    pub fn take(&mut self) -> bool {
        let taken = self.are_at_hand();
        if taken {
            self.held -= self.segments;
        }
        taken
    }

    /// The host has emptied a frame's buffers and posts them anew.
    #[inline]
    pub fn post(&mut self) {
        self.posted += self.segments;
    }

    /// Whether to read more: ahead, or because a frame `needs` some.
    #[inline]
    fn calls_for_read(&self, needs: bool) -> bool {
        let low = needs || self.prefetch && self.held <= self.per_read;
        low && !self.reading && self.posted > 0
    }

    /// Reads descriptors, if that is called for.
    #[inline]
    pub fn fetch(&mut self, needed: bool, context: &mut Context<'_, '_>) {
        if self.calls_for_read(needed) {
            self.reading = true;
            context.want(Work::DescriptorRead);
        }
    }

    /// A read of descriptors is over.
    pub fn read(&mut self, context: &mut Context<'_, '_>) {
        let read = self.per_read.min(self.posted);
        self.held += read;
        self.posted -= read;
        self.reading = false;
        self.fetch(false, context);
    }
}
