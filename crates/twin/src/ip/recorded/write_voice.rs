//! Writes streams of speech as calls: each over a link of its own that delays and loses its packets as they were captured.

use std::fmt::Write;

use super::super::super::document::{BitRate, Document, Inline, Recorded, digits, exact, span};
use super::super::super::scenario::Trace;
use super::super::keys::{flow, medium, station, voice};
use super::super::voice::Stream;
use super::write::{LEFT, Writer, right};

/// A jitter of no more than this is none, s.
const NO_JITTER: f64 = 1e-9;

impl Writer<'_> {
    /// The links from the speakers.
    pub(super) fn voice_media(&self, document: &mut Document) {
        for stream in &self.recorded.calls {
            let (name, packets) = (stream.name(), &stream.timeline.packets);
            let lost = packets.iter().filter(|(_, is_lost)| *is_lost).count();
            document.table_of(
                medium::TABLE,
                format!(
                    "The path of a stream: {} packets, of which {lost} were lost, {} % in {} bursts.",
                    packets.len(),
                    digits(100.0 * lost as f64 / packets.len().max(1) as f64),
                    stream.timeline.loss_bursts(),
                ),
            );
            document.set(medium::NAME, &name);
            document.set(medium::RATE, BitRate::Unlimited);
            document.set(medium::LENGTH, 0.0);
            document.set(medium::MTU, 65_535.0);
            if lost > 0 || packets.iter().any(|(late, _)| *late > NO_JITTER) {
                document.comment(
                    "How much later than the fastest each packet came, and which were lost before the point of capture, in their \
                     order. Kind \"empirical\" without `lost` draws the same delays at random.",
                );
                let (file, lost) = (self.file_of(&name), (lost > 0).then_some("lost"));
                document.set(medium::JITTER, Recorded::Path { file, column: "jitter", lost });
            }
            if stream.media.overtaken > 0 {
                document.set_because(
                    medium::REORDERING,
                    true,
                    format!("{} packets came behind later ones.", stream.media.overtaken),
                );
            }
        }
    }

    /// The speaker and the listener of each stream.
    pub(super) fn voice_stations(&self, document: &mut Document) {
        for stream in &self.recorded.calls {
            let link = stream.name();
            for (host, name, on) in [
                (stream.media.from.address, self.speaker(stream), link),
                (stream.media.to.address, self.listener(stream), self.listening(stream)),
            ] {
                let who = if self.options.anonymise { String::new() } else { format!(": {host}") };
                document.table_of(station::TABLE, format!("An end of a stream{who}."));
                document.set(station::NAME, &name);
                document.set(station::ON, vec![on]);
            }
        }
    }

    /// The flows, and the files of their times.
    pub(super) fn calls(&self, document: &mut Document, traces: &mut Vec<Trace>) {
        for stream in &self.recorded.calls {
            let name = stream.name();
            self.call(stream, &name, document);
            traces.push(Trace { file: self.file_of(&name), text: columns(stream) });
        }
    }

    fn call(&self, stream: &Stream, name: &str, document: &mut Document) {
        let Stream { media, timeline, packet_time, .. } = stream;
        let encoding = media.format.as_ref().map_or("RTP", |format| &format.encoding);
        let jitter = media.jitter.map_or(0.0, |jitter| jitter.mean_s);
        document.table_of(
            flow::TABLE,
            format!(
                "A stream of {encoding} over RTP: {} packets captured, interarrival jitter {} in the mean (RFC 3550).",
                media.packets,
                span(jitter)
            ),
        );
        document.set(flow::NAME, name);
        document.set(flow::SERVICE, "voice");
        document.set(flow::PROBE, true);
        document.set(flow::FROM, self.speaker(stream));
        document.set(flow::TO, self.listener(stream));
        let pauses = timeline.talkspurts.len() - 1;
        document.comment(match pauses {
            0 => "Each direction of a call is a flow; it speaks without pauses.".to_owned(),
            1 => "Each direction of a call is a flow; it pauses once.".to_owned(),
            several => format!("Each direction of a call is a flow; it pauses {several} times, as long as recorded."),
        });
        let keys = Inline::default().with(voice::CODEC, stream.codec.name());
        let keys = keys.with(voice::PACKET_TIME, packet_time.seconds()).with(voice::DIRECTION, "forward");
        let keys = keys.with(voice::DURATION, timeline.packet_times() as f64 * packet_time.seconds());
        let keys = if pauses == 0 {
            keys
        } else {
            let column = |column| Recorded::Column { file: self.file_of(name), column };
            keys.with(voice::SPEECH, "talkspurts")
                .with(voice::TALKSPURT, column("talkspurt"))
                .with(voice::PAUSE, column("pause"))
        };
        document.set(flow::VOICE, keys);
        document.set(flow::START, (timeline.begin - self.zero()).max(0.0));
        document.set(flow::START_SPREAD, 0.0);
    }

    fn zero(&self) -> f64 {
        self.survey.first.unwrap_or_default().seconds()
    }

    fn file_of(&self, flow: &str) -> String {
        format!("{}-{flow}.csv", self.options.name)
    }

    fn speaker(&self, stream: &Stream) -> String {
        format!("{}-{}", self.host_name(stream.media.from.address), stream.name())
    }

    fn listener(&self, stream: &Stream) -> String {
        format!("{}-{}", self.host_name(stream.media.to.address), stream.name())
    }

    /// The link of a listener: across the shared one.
    fn listening(&self, stream: &Stream) -> String {
        if stream.is_back { LEFT.to_owned() } else { right(0) }
    }
}

/// What is recorded of a stream, CSV: a packet in each row, and a talkspurt with its pause.
fn columns(stream: &Stream) -> String {
    let (packets, packet_time) = (&stream.timeline.packets, stream.packet_time.seconds());
    let talkspurts = &stream.timeline.talkspurts;
    let mut text = "jitter,lost,talkspurt,pause\n".to_owned();
    for (number, (late, is_lost)) in packets.iter().enumerate() {
        let _ = write!(text, "{},{}", exact(*late), u8::from(*is_lost));
        let _ = match talkspurts.get(number) {
            // nothing follows the last talkspurt before the call ends
            Some([talkspurt, pause]) => {
                let [talkspurt, pause] = [*talkspurt, (*pause).max(1)].map(|of| exact(of as f64 * packet_time));
                writeln!(text, ",{talkspurt},{pause}")
            }
            None => writeln!(text, ",,"),
        };
    }
    text
}
