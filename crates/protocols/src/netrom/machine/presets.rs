//! Presets: the settings of NET/ROM programs.

use sojourn_core::Duration;

use super::settings::{
    AcknowledgeStart, BacklogUnit, Choke, ChokeRelease, ChokeSignal, EarlyAcknowledge, Modulus, NakPolicy, Retransmit,
    Routing, Settings, Transport,
};

/// Octets of user data in a packet: 256 of an I field less 20 of headers.
const INFORMATION_LIMIT: u16 = 236;

impl Settings {
    /// TheNet X-1J release 4 with the defaults of its parameter list (K4ABT, *X-1J4 "TheNET" node params*).
    ///
    /// The source of X-1J was never published. What the list does not state is assumed as in related programs: each packet
    /// restarts the acknowledgement delay (TheNetNode, NOS, BPQ) and no acknowledgement is early, timers count seconds
    /// (TheNetNode), a choke is signalled at once and released as soon as the backlog is below half the threshold.
    pub fn x1j4() -> Settings {
        Settings {
            routing: Routing {
                max_destinations: 100,
                min_quality: 60,
                obsolescence_initial: 9,
                min_obsolescence_broadcast: 5,
                broadcast_interval: Duration::from_secs(1800),
                ttl: 16,
                learns_from_broadcasts: true,
                learns_from_packets: true,
            },
            transport: Transport {
                timeout: Duration::from_secs(180),
                retries: 3,
                acknowledge_delay: Duration::from_secs(2),
                acknowledge_start: AcknowledgeStart::Restart,
                early_acknowledge: EarlyAcknowledge::None,
                delay_grows_with_backlog: false,
                choke_timeout: Duration::from_secs(60),
                window: 4,
                send_queue_limit: 4,
                no_activity_timeout: Some(Duration::from_secs(900)),
                information_limit: INFORMATION_LIMIT,
                modulus: Modulus::TwoHundredFiftySix,
                retransmit: Retransmit::All,
                nak: NakPolicy::Immediate,
                buffers_out_of_order: true,
                choke: Choke {
                    unit: BacklogUnit::Packets,
                    above: 4,
                    below: 2,
                    signalled: ChokeSignal::Immediate,
                    release: ChokeRelease::Immediate,
                    drops: true,
                    min_free_buffers: 0,
                    release_free_buffers: 0,
                },
                rewinds_when_choked: true,
                accepts_connections: true,
                max_circuits: 20,
                resets: false,
                bpq_extension: false,
            },
            tick: Duration::from_secs(1),
        }
    }

    /// TheNetNode, a late descendant of TheNet: the parameters of X-1J with the additions of its source.
    pub fn thenetnode() -> Settings {
        let x1j4 = Settings::x1j4();
        let window = u32::from(x1j4.transport.window);
        let transport = Transport {
            early_acknowledge: EarlyAcknowledge::Half,
            delay_grows_with_backlog: true,
            modulus: Modulus::OneHundredTwentyEight,
            choke: Choke {
                above: window / 2,
                below: window / 2,
                signalled: ChokeSignal::AtFullWindow,
                min_free_buffers: 30,
                release_free_buffers: 62,
                ..x1j4.transport.choke
            },
            ..x1j4.transport
        };
        Settings { transport, ..x1j4 }
    }

    /// Linux net/netrom with its defaults; routes and broadcasts with the defaults of its daemon netromd.
    pub fn linux() -> Settings {
        Settings {
            routing: Routing {
                max_destinations: 65_535,
                min_quality: 1,
                obsolescence_initial: 6,
                min_obsolescence_broadcast: 4,
                broadcast_interval: Duration::from_secs(3600),
                ttl: 16,
                learns_from_broadcasts: true,
                learns_from_packets: true,
            },
            transport: Transport {
                timeout: Duration::from_secs(120),
                retries: 3,
                acknowledge_delay: Duration::from_secs(5),
                acknowledge_start: AcknowledgeStart::First,
                early_acknowledge: EarlyAcknowledge::Full,
                delay_grows_with_backlog: false,
                choke_timeout: Duration::from_secs(180),
                window: 4,
                send_queue_limit: 128,
                no_activity_timeout: None,
                information_limit: INFORMATION_LIMIT,
                modulus: Modulus::TwoHundredFiftySix,
                retransmit: Retransmit::All,
                nak: NakPolicy::WithAcknowledgement,
                buffers_out_of_order: true,
                choke: Choke {
                    // half a socket's receive buffer
                    unit: BacklogUnit::Octets,
                    above: 106_496,
                    below: 53_248,
                    signalled: ChokeSignal::WithAcknowledgement,
                    release: ChokeRelease::Immediate,
                    drops: false,
                    min_free_buffers: 0,
                    release_free_buffers: 0,
                },
                rewinds_when_choked: false,
                accepts_connections: true,
                max_circuits: 255,
                resets: false,
                bpq_extension: true,
            },
            tick: Duration::ZERO,
        }
    }

    /// KA9Q NOS (nr4.c): acknowledgements delayed 3 s from the last packet, choke above 2048 octets.
    pub fn nos() -> Settings {
        let linux = Settings::linux();
        let transport = Transport {
            acknowledge_delay: Duration::from_secs(3),
            acknowledge_start: AcknowledgeStart::Restart,
            early_acknowledge: EarlyAcknowledge::None,
            choke: Choke {
                unit: BacklogUnit::Octets,
                above: 2048,
                below: 2048,
                signalled: ChokeSignal::Immediate,
                release: ChokeRelease::Immediate,
                drops: true,
                ..linux.transport.choke
            },
            rewinds_when_choked: true,
            bpq_extension: false,
            ..linux.transport
        };
        Settings { transport, ..linux }
    }

    /// LinBPQ: choke at a window of frames on the onward link, polled every second; a time to live of 25.
    pub fn bpq() -> Settings {
        let linux = Settings::linux();
        let window = u32::from(linux.transport.window);
        let transport = Transport {
            acknowledge_start: AcknowledgeStart::Restart,
            choke: Choke {
                unit: BacklogUnit::Packets,
                above: window - 1,
                below: window,
                signalled: ChokeSignal::WithAcknowledgement,
                release: ChokeRelease::Poll(Duration::from_secs(1)),
                drops: false,
                ..linux.transport.choke
            },
            ..linux.transport
        };
        Settings { routing: Routing { ttl: 25, ..linux.routing }, transport, ..linux }
    }
}
