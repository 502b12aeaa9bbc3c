//! The command line: the options of `sojourn agent` and `sojourn listen` that apply without a radio.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  (umask 077; head -c 32 /dev/urandom | base64 > sojourn.key)     the key: copy it to the other host
  sojourn-agent sojourn://0.0.0.0 --key-file sojourn.key
  sojourn-agent 'sojourn://[::]:18620' --key-file sojourn.key --limit 'bit-rate=1 Gbit/s'
  sojourn-agent sojourn://0.0.0.0 --open --duration '1 h'
  sojourn-agent stamp://0.0.0.0:862
  sojourn-agent udp-echo://127.0.0.1:7007";

/// Runs the measurement server, or a STAMP, UDP or TCP echo reflector.
///
/// Without a URL it serves its own host, at port 18620 of UDP and TCP. To be reached from other hosts it needs a key shared with the
/// clients, or --open. Several clients can measure at once, each within the limits. A line reports each session when it has ended;
/// the log goes to stderr. Ctrl-C or SIGTERM ends every session with its results. Keys are read again when their files change;
/// with --key-file SIGHUP does not end it.
///
/// STAMP and the echoes return no more than they receive, within a rate limit per host and in all, and nothing to ports below 1024.
///
/// Exit code 0: ended as asked; 1: failed; 2: invalid input.
#[derive(Clone, Debug, Parser)]
#[command(name = "sojourn-agent", version, max_term_width = 110, after_help = EXAMPLES)]
pub struct Arguments {
    /// Address to serve at: sojourn://HOST, stamp://HOST, udp-echo://HOST or tcp-echo://HOST, with :PORT where it is not the usual.
    #[arg(value_name = "URL", default_value = "sojourn://localhost")]
    pub url: String,
    /// Serve clients with this key, on any host: a file of mode 0600 or 0440; for sojourn:// also a folder with a file for each
    /// client, named after it. [$SOJOURN_KEY]
    #[arg(long, value_name = "PATH")]
    pub key_file: Option<PathBuf>,
    /// Without a key, serve all clients, within tighter limits.
    #[arg(long)]
    pub open: bool,
    /// With a key, measure other agents for clients with that key, those in this network (`sojourn mesh`): 10.0.0.0/8.
    /// Repeatable.
    #[arg(long, value_name = "NETWORK")]
    pub measures: Vec<String>,
    /// Limits of each session: packet-rate, bit-rate, volume, time, idle, packet-size, streams; and of all: sessions,
    /// sessions-per-address. --limit 'bit-rate=100 Mbit/s'. Repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    pub limit: Vec<String>,
    /// As root: keep this host's processors out of C-states (PM QoS) during a timed test.
    #[arg(long)]
    pub no_cpu_idle: bool,
    /// End after this many sessions.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// End after this time: '10 min'.
    #[arg(long, value_name = "TIME")]
    pub duration: Option<String>,
    /// For tests: drop this share of this host's own datagrams: '5 %'.
    #[arg(long, value_name = "SHARE")]
    pub inject_loss: Option<String>,
    /// Seed of the injected loss.
    #[arg(long)]
    pub seed: Option<u64>,
    /// One line of text, or of JSON, per session.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// How a session is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line of text.
    Table,
    /// A line of JSON.
    Json,
}
