//! Tables of the slowest transactions, and of those that were lost or sent again.

use sojourn_capture::{Between, Findings, Notable, Outcome};
use sojourn_core::Duration;
use sojourn_metrics::display::{DIGITS, Shown};
use sojourn_metrics::results::NotableTransaction;

/// Rows of what was found.
pub fn rows(found: &Findings, notable: &[Notable]) -> Vec<NotableTransaction> {
    notable.iter().filter_map(|notable| row(found, notable)).collect()
}

fn row(found: &Findings, notable: &Notable) -> Option<NotableTransaction> {
    let Notable { transaction, between } = notable;
    let outcome = match transaction.outcome {
        Outcome::Answered => "answered",
        Outcome::Unanswered => "unanswered",
        Outcome::Refused => "refused",
        _ => "open",
    };
    let key = found.sink.flows().key(transaction.flow)?;
    Some(NotableTransaction {
        flow: key.member(),
        from: key.from.to_string(),
        to: key.to.to_string(),
        service: key.service.to_string(),
        time: transaction.end.map(|end| end.since(transaction.begin).seconds()),
        begin: transaction.begin.seconds(),
        frames: transaction.frames,
        attempts: transaction.attempts,
        outcome: outcome.to_owned(),
        retransmissions: between.retransmissions,
        zero_window: between.zero_window.seconds(),
        queued_behind: between.others,
        heard: between.heard.map(Duration::seconds),
        why: why(notable),
    })
}

/// What happened between request and answer, in words: what delays most by itself first.
fn why(notable: &Notable) -> String {
    let Notable { transaction, between } = notable;
    let Between { retransmissions, zero_window, others, heard } = *between;
    let mut found = Vec::new();
    let several = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    if transaction.retries() > 0 {
        found.push(several(transaction.retries().into(), "retry", "retries"));
    } else if retransmissions > 0 {
        found.push(several(retransmissions, "retransmission", "retransmissions"));
    }
    if zero_window > Duration::ZERO {
        found.push(format!("zero window for {}", shown(zero_window)));
    }
    if others > 0 {
        found.push(format!("behind {}", several(others, "other", "others")));
    }
    match (transaction.outcome, heard) {
        (Outcome::Answered, Some(heard)) => found.push(format!("server, heard after {}", shown(heard))),
        (Outcome::Answered, None) if found.is_empty() => found.push("server or network".to_owned()),
        (Outcome::Refused, _) => found.push("refused".to_owned()),
        (Outcome::Unanswered, Some(heard)) => found.push(format!("heard after {}, no answer", shown(heard))),
        (Outcome::Unanswered, None) => found.push("nothing heard".to_owned()),
        _ => {}
    }
    found.join(", ")
}

fn shown(span: Duration) -> String {
    Shown::unit("s").value(Some(span.seconds()), 0.0, DIGITS)
}
