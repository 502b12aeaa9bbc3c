//! Writes the links of a scenario.

use super::super::document::{BitRate, Document, Inline, digits, span};
use super::bottleneck::RateSource;
use super::keys::{medium, queue};
use super::layout::Access;
use super::path::Known;
use super::queue::Queue;
use super::write::{Writer, medium_name};

/// The rate of a link that limits nothing.
const WITHOUT_LIMIT: BitRate = BitRate::Limit(1e12);

impl Writer<'_> {
    /// The shared link, and those of the hosts on both sides of it.
    pub(super) fn media(&self, document: &mut Document) {
        document.table_of(
            medium::TABLE,
            "All flows share one link between two routers: an assumption, since most captures are made where traffic shares a \
             path.",
        );
        document.set(medium::NAME, "link");
        self.rate(document);
        self.delay(document);
        self.loss(document);
        self.mtu(document);
        self.queue(document);
        for (side, accesses) in self.layout.sides.iter().enumerate() {
            for (number, access) in accesses.iter().enumerate() {
                self.access(&medium_name(side, number), access, document);
            }
        }
    }

    fn rate(&self, document: &mut Document) {
        let (text, rate) = match self.link.source {
            RateSource::Spacing(found) => (
                format!(
                    "{} of {} packets that follow others have the shortest spacing that many have in common: well determined \
                     if transfers filled the link.",
                    found.packets, found.of,
                ),
                BitRate::Limit(found.rate),
            ),
            RateSource::Acknowledgements(found) => (
                format!(
                    "{} of {} acknowledgements come as soon after the one before, for the data that they acknowledge: well \
                     determined if transfers filled the link at times.",
                    found.packets, found.of,
                ),
                BitRate::Limit(found.rate),
            ),
            RateSource::Delivery(samples) => (
                format!(
                    "Data were acknowledged so fast while packets waited, at the 75th percentile of {samples} bursts of 32 \
                     segments: determined to about a tenth.",
                ),
                BitRate::Limit(self.link.line.rate),
            ),
            RateSource::AtLeast(rate) => (
                format!(
                    "Packets did not wait, so no rate shows: at least {}; without a limit, an assumption.",
                    BitRate::Limit(rate).shown()
                ),
                WITHOUT_LIMIT,
            ),
            RateSource::Nothing => (
                "No packets follow each other as on a busy link: without a limit, an assumption.".to_owned(),
                WITHOUT_LIMIT,
            ),
        };
        document.set_because(medium::RATE, rate, text);
    }

    fn delay(&self, document: &mut Document) {
        let known = self.layout.paths.iter().filter(|path| path.known != Known::Nothing);
        let nearest = known.min_by(|a, b| a.delay.total_cmp(&b.delay));
        let how = match nearest.map(|path| (path.known, path.trips)) {
            Some((Known::Both, trips)) => format!(
                "Half of the shortest time from the point of capture to both hosts and back, of {trips}, less the packets' own \
                 time: well determined."
            ),
            Some((Known::Beside, trips)) => format!(
                "Half of the shortest time to the other host and back, of {trips}, less the packets' own time. The point of \
                 capture is beside this host: its packets had passed no router."
            ),
            Some((Known::Hops, trips)) => format!(
                "From the shortest time to one host and back, of {trips}; to the other one in proportion to the routers that \
                 packets had passed: rough."
            ),
            _ => "Nothing shows the path's delay beside the host that answers: an assumption.".to_owned(),
        };
        document.set_because(medium::DELAY, self.layout.delay, how);
    }

    fn loss(&self, document: &mut Document) {
        let losses = &self.link.losses;
        if losses.segments == 0 {
            document.comment(format!(
                "{} of {} requests had no answer, and {} were lost before the point of capture by the timeouts that followed; \
                 the same in both directions, an assumption.",
                losses.unanswered, losses.requests, losses.unseen,
            ));
        } else {
            document.comment(format!(
                "Of {} segments {} were lost before the point of capture and {} behind it, {} of them by chance, \
                 not at a full queue; the same in both directions, an assumption, since losses of acknowledgements do not \
                 show.",
                losses.segments,
                losses.before,
                losses.after,
                digits(libm::round(losses.by_chance)),
            ));
        }
        document.set(medium::LOSS, losses.share.clamp(0.0, 1.0));
    }

    fn mtu(&self, document: &mut Document) {
        document.comment(match self.flows.connections().next().is_none() {
            true if self.survey.longest_fragment > 0 => "The longest fragment.",
            true => "That of Ethernet, an assumption: no TCP connection states a segment size.",
            false => "The largest segment that TCP announced (MSS), with 40 B of headers.",
        });
        document.set(medium::MTU, self.link.line.mtu.clamp(68.0, 65_535.0));
    }

    fn queue(&self, document: &mut Document) {
        let of = |kind: &str| Inline::default().with(queue::KIND, kind);
        let (how, queue) = match self.link.queue {
            Queue::Unseen => {
                ("Packets hardly waited: the queue does not show, and has its default.".to_owned(), of("fifo"))
            }
            Queue::Fifo { packets, is_full: true } => (
                format!("Packets were lost when the queue was longest, {packets} full packets: its limit."),
                of("fifo").with(queue::LIMIT, packets),
            ),
            Queue::Fifo { packets, is_full: false } => (
                format!("The queue had up to {packets} full packets, and no losses show a limit: the default."),
                of("fifo"),
            ),
            Queue::Codel => (
                "The queue was short when packets were lost, as with controlled delay: an estimate.".to_owned(),
                of("codel"),
            ),
            Queue::FlowQueues { request, transfer } => (
                format!(
                    "Answers waited {} in the median, transfers {}: each flow has a queue of its own.",
                    span(request),
                    span(transfer)
                ),
                of("fq-codel"),
            ),
        };
        document.comment(match self.is_likeliest {
            true => how,
            false => {
                "Of several queues that the capture allows, this one came closest to it when simulated.".to_owned()
            }
        });
        document.set(medium::QUEUE, queue);
    }

    fn access(&self, name: &str, access: &Access, document: &mut Document) {
        document.table(medium::TABLE);
        document.set(medium::NAME, name);
        document.comment("Without a rate of its own: all time on links is that of the shared one.");
        document.set(medium::RATE, BitRate::Unlimited);
        document.set(medium::LENGTH, 0.0);
        if access.delay > 0.0 {
            document.comment("What the path to these hosts takes beyond that to the nearest ones.");
            document.set(medium::DELAY, access.delay);
        }
        document.set(medium::MTU, 65_535.0);
    }
}
