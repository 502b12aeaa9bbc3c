//! Streams with their reports and descriptions.

use std::net::Ipv4Addr;

use sojourn_protocols::udp::Datagram;

use super::*;

fn end(host: u8, port: u16) -> Endpoint {
    Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

struct Trial {
    media: Media,
    out: Sink,
}

impl Trial {
    fn new() -> Trial {
        Trial { media: Media::default(), out: Sink::default() }
    }

    fn sends(&mut self, milliseconds: u64, from: Endpoint, to: Endpoint, data: &[u8]) {
        let datagram = Datagram { source_port: from.port, destination_port: to.port, data };
        let (octets, time) = (data.len() as u32, at(milliseconds));
        self.media.datagram(&Captured { from, to, datagram, octets, l3_bytes: octets + 28, time }, &mut self.out);
    }

    fn finish(mut self) -> Vec<MediaStream> {
        self.media.finish(&mut self.out);
        self.out.streams().to_vec()
    }
}

fn packet(payload_type: u8, sequence: u16, timestamp: u32, octets: usize) -> Vec<u8> {
    let mut packet = vec![0x80, payload_type];
    packet.extend(sequence.to_be_bytes());
    packet.extend(timestamp.to_be_bytes());
    packet.extend(9_u32.to_be_bytes());
    packet.resize(12 + octets, 0);
    packet
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn a_stream_has_the_losses_and_the_round_trip_that_its_receiver_reports() {
    let mut trial = Trial::new();
    let [talker, listener] = [end(1, 4000), end(2, 5000)];
    for number in 0..100_u16 {
        trial.sends(20 * u64::from(number), talker, listener, &packet(0, number, 160 * u32::from(number), 160));
    }
    let sender_report = words(&[0x80c8_0006, 9, 1, 0x4321_0000, 0, 0, 0]);
    trial.sends(500, end(1, 4001), end(2, 5001), &sender_report);
    // 30 ms later, 20 ms of them at the receiver (1311 of 65 536)
    let receiver_report = words(&[0x81c9_0007, 7, 9, 0x0100_0003, 99, 16, 0x0001_4321, 1311]);
    trial.sends(530, end(2, 5001), end(1, 4001), &receiver_report);
    let [stream] = &trial.finish()[..] else { panic!("one stream") };
    let reported = stream.reported.unwrap();
    assert_eq!((reported.lost, reported.jitter), (3, 16));
    let round_trip = reported.round_trip().unwrap().seconds();
    assert!((round_trip - 0.01).abs() < 1e-4, "{round_trip}");
}

#[test]
fn a_receiver_that_held_a_report_for_longer_than_has_passed_gives_no_round_trip() {
    for delay in [65_536, u32::MAX] {
        let mut trial = Trial::new();
        let [talker, listener] = [end(1, 4000), end(2, 5000)];
        for number in 0..100_u16 {
            trial.sends(20 * u64::from(number), talker, listener, &packet(0, number, 160 * u32::from(number), 160));
        }
        trial.sends(500, end(1, 4001), end(2, 5001), &words(&[0x80c8_0006, 9, 1, 0x4321_0000, 0, 0, 0]));
        let report = words(&[0x81c9_0007, 7, 9, 0x0100_0003, 99, 16, 0x0001_4321, delay]);
        trial.sends(530, end(2, 5001), end(1, 4001), &report);
        let [stream] = &trial.finish()[..] else { panic!("one stream") };
        let reported = stream.reported.unwrap();
        assert_eq!((reported.lost, reported.round_trip()), (3, None), "{delay} of 65 536 held of 30 ms");
    }
}

#[test]
fn a_description_says_what_a_dynamic_payload_type_is_and_events_have_no_jitter() {
    let mut trial = Trial::new();
    trial.media.describe(
        b"SIP/2.0 200 OK\r\n\r\nv=0\r\nc=IN IP4 10.0.0.2\r\nm=audio 5000 RTP/AVP 97 101\r\na=rtpmap:97 opus/48000/2\r\n\
          a=rtpmap:101 telephone-event/8000\r\n",
    );
    let [talker, listener] = [end(1, 4000), end(2, 5000)];
    assert!(trial.media.is_announced(talker, listener) && !trial.media.is_announced(talker, end(2, 5002)));
    for number in 0..50_u16 {
        // a digit: its timestamp stands still
        let (kind, octets) = if (20..30).contains(&number) { (101, 4) } else { (97, 100) };
        let timestamp = 960 * u32::from(if kind == 101 { 20 } else { number });
        trial.sends(20 * u64::from(number), talker, listener, &packet(kind, number, timestamp, octets));
    }
    let [stream] = &trial.finish()[..] else { panic!("one stream") };
    assert_eq!((stream.clock, stream.packet_time), (48_000, Some(Duration::from_millis(20))));
    assert_eq!(stream.codec().map(|codec| codec.name()), Some("opus-28"), "80.8 octets in the mean");
    assert_eq!((stream.delivery.lost, stream.jitter.unwrap().max_s), (0, 0.0));
}

#[test]
fn a_rating_is_that_of_the_e_model_for_the_delay_the_losses_and_the_codec() {
    let mut trial = Trial::new();
    let [talker, listener] = [end(1, 4000), end(2, 5000)];
    for number in (0..1000_u16).filter(|number| number % 50 != 7) {
        trial.sends(20 * u64::from(number), talker, listener, &packet(8, number, 160 * u32::from(number), 160));
    }
    let [stream] = &trial.finish()[..] else { panic!("one stream") };
    assert_eq!((stream.delivery.sent, stream.delivery.lost, stream.delivery.bursts), (1000, 20, 0));
    let rating = stream.rating(Duration::from_millis(50)).unwrap();
    assert_eq!(rating.delay, Duration::from_micros(20_000 + 3_750 + 50_000 + 40_000));
    // Ie,eff = 95 * 2 / (2 + 25.1) = 7.01 of G.711 with concealment; the delay takes about 2.6 of 93.2
    assert!((rating.r_factor - 83.4).abs() < 1.0, "{rating:?}");
    assert!((4.0..4.3).contains(&rating.mos), "{rating:?}");
}

#[test]
fn of_more_streams_than_are_followed_the_one_silent_longest_has_ended() {
    let mut trial = Trial::new();
    for number in 0..STREAMS as u32 + 3 {
        let from = Endpoint { address: IpAddr::V4(Ipv4Addr::from(number)), port: 1 };
        trial.sends(0, from, end(2, 2), &packet(8, 1, 0, 160));
    }
    assert_eq!(trial.out.streams().len(), 3);
}
