//! Codecs, talkspurts and jitter buffers of voice on FDDI.

use crate::support::{Metrics, metrics, scenario, value};

/// Calls as datagrams between two stations whose CPUs take no time.
const CALLS: &str = r#"
    [network]
    kind = "fddi"
    [ring]
    ttrt = "8 ms"
    enforce_allocation = false
    [[station]]
    name = "client"
    costs = { send_packet = "0 s", receive_packet = "0 s", per_byte = "0 s", send_control = "0 s", receive_control = "0 s" }
    [[station]]
    name = "server"
    costs = { send_packet = "0 s", receive_packet = "0 s", per_byte = "0 s", send_control = "0 s", receive_control = "0 s" }
    [[flow]]
    name = "call"
    from = "client"
    to = "server"
    traffic = "voice"
    samples = 160
    channels = 10
    playout_delay = "40 ms"
    fifo_packets = 10
    codec = "g711"
    transport = "datagram"
    [run]
    duration = "20 s"
    warm_up = "100 ms"
"#;

fn with(edits: &[(&str, &str)]) -> Metrics {
    metrics(CALLS, edits)
}

#[test]
fn packets_are_as_long_as_their_codec_makes_them() {
    // octets of 20 ms: 3GPP TS 26.445 Annex A.2.2, RFC 4867, RFC 3551
    for (codec, octets) in
        [("g711", 160.0), ("g729a", 20.0), ("evs-13.2", 34.0), ("amr-wb-12.65", 34.0), ("opus-40", 100.0)]
    {
        let found = with(&[("flow.call.codec", codec)]);
        let rate = value(&found, "throughput", "value");
        let expected = 10.0 * octets * 8.0 / 0.020;
        assert!((rate / expected - 1.0).abs() < 0.002, "{codec}: {rate} {expected}");
        assert_eq!(value(&found, "play_out_loss", "value"), 0.0, "{codec}");
        assert_eq!(value(&found, "fifo_overflow", "value"), 0.0, "{codec}");
        assert_eq!(value(&found, "fifo_underflow", "value"), 0.0, "{codec}");
    }
}

#[test]
fn a_wideband_codec_is_rated_on_its_scale() {
    let rating = |codec: &str| value(&with(&[("flow.call.codec", codec)]), "r_factor", "value");
    let [narrow, wide, full] = ["g711", "amr-wb-23.05", "evs-24.4"].map(rating);
    assert!((85.0..93.3).contains(&narrow), "{narrow}");
    assert!((115.0..121.0).contains(&wide), "{wide}");
    assert!((130.0..141.0).contains(&full), "{full}");
}

const SPURTS: [(&str, &str); 3] =
    [("flow.call.speech", "talkspurts"), ("flow.call.talkspurt", "1 s"), ("flow.call.pause", "1.5 s")];

#[test]
fn talkspurts_send_packets_for_their_share_of_the_time_and_pauses_are_no_losses() {
    let found = with(&[SPURTS[0], SPURTS[1], SPURTS[2], ("flow.call.channels", "50"), ("run.duration", "60 s")]);
    let share = value(&found, "packet_rate", "value") / (50.0 * 50.0);
    // whole packet times: half of one more of each
    let expected = 1.01 / (1.01 + 1.51);
    // 50 channels of 24 talkspurts; each begins with one
    assert!((share - expected).abs() < 0.03, "{share} {expected}");
    assert_eq!(value(&found, "play_out_loss", "value"), 0.0);
    // 1190 pauses; a converter's FIFO knows no timestamps, so that one of two packets uses up its margin
    let underflows = value(&found, "fifo_underflow", "value");
    assert!(underflows < 24.0, "{underflows}");
    assert_eq!(value(&found, "fifo_overflow", "value"), 0.0);
}

#[test]
fn an_adaptive_buffer_gives_up_a_delay_that_the_ring_does_not_need_and_a_fixed_one_keeps_it() {
    let delay = |buffer: &str| {
        let edits = [
            SPURTS[0],
            SPURTS[1],
            SPURTS[2],
            ("flow.call.playout_delay", "200 ms"),
            ("flow.call.fifo_packets", "20"),
            ("run.duration", "60 s"),
        ];
        let all: Vec<_> = edits.into_iter().chain([("flow.call.jitter_buffer", buffer)]).collect();
        let found = with(&all);
        assert!(value(&found, "play_out_loss", "value") < 0.001, "{buffer}");
        value(&found, "play_out_delay", "value")
    };
    let [fixed, adaptive] = ["fixed", "adaptive"].map(delay);
    // packet of 20 ms, concealment of 3.75 ms, buffer of 200 ms, and less than 8 ms of ring
    assert!((0.2237..0.2320).contains(&fixed), "{fixed}");
    // a deviation of 50 ms at first falls by 0.998002 each packet: four of it, over 1200 packets or fewer, are 80 to 110 ms
    assert!((0.09..0.15).contains(&adaptive), "{adaptive}");
}

#[test]
fn an_adaptive_buffer_without_rating_and_a_packet_of_no_whole_frames_are_refused() {
    let refused = |text: &str, edits: &[(&str, &str)]| {
        let checked = scenario(text, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
        let problems = crate::support::model(&checked).map(|_| ()).expect_err("it is refused");
        assert!(problems.0.iter().all(|problem| problem.place.is_some()));
        problems.render(false, 200)
    };
    let unrated = CALLS.replace("codec = \"g711\"\n", "");
    let found = refused(&unrated, &[("flow.call.jitter_buffer", "adaptive")]);
    assert!(found.contains("a jitter buffer is of channels that are rated"), "{found}");
    let found = refused(CALLS, &[("flow.call.codec", "evs-24.4"), ("flow.call.samples", "200")]);
    assert!(found.contains("a packet of evs-24.4 holds whole frames of 160 samples"), "{found}");
}

#[test]
fn a_call_that_an_event_stops_in_a_pause_is_silent_until_it_starts() {
    let event = "[[event]]\nname = \"night\"\naction = \"stop\"\nflows = \"call\"\nat = \"5 s\"\nuntil = \"15 s\"\n";
    let text = format!("{CALLS}{event}");
    let found = metrics(&text, &SPURTS);
    let through = metrics(&text, &[SPURTS[0], SPURTS[1], ("flow.call.pause", "1 ms")]);
    // half of the time, and of that the share of talkspurts, or nearly all
    let [some, all] = [found, through].map(|found| value(&found, "packet_rate", "value") / 500.0);
    assert!((0.12..0.30).contains(&some), "{some}");
    assert!((0.47..0.51).contains(&all), "{all}");
}
