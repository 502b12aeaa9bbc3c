//! Shares in percent, numbers of bytes, lengths of time.

use super::digits::rounded;

const SIZES: [(f64, &str); 3] = [(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB")];

/// A share in percent: `52 %`, with its sign `+3.1 %`. What rounds to zero has none.
pub fn percent(share: f64, decimals: usize, signed: bool) -> String {
    let percent = 100.0 * share;
    let number = format!("{:.decimals$}", percent.abs());
    let sign = match number.parse() {
        Ok(0.0) => "",
        _ if percent < 0.0 => "−",
        _ if signed => "+",
        _ => "",
    };
    format!("{sign}{number} %")
}

/// A share of losses in percent: `0.2 %`. One that is neither none nor all is not rounded to either: `< 0.1 %`.
pub fn percent_lost(share: f64, decimals: usize) -> String {
    let (lost, least) = (100.0 * share, libm::pow(10.0, -(decimals as f64)));
    if lost > 0.0 && lost < least / 2.0 {
        return format!("< {least:.decimals$} %");
    }
    if lost < 100.0 && lost >= 100.0 - least / 2.0 {
        return format!("> {:.decimals$} %", 100.0 - least);
    }
    percent(share, decimals, false)
}

/// A number of bytes: `64 B`, `3.2 MiB`.
pub fn size(bytes: f64) -> String {
    match SIZES.iter().find(|(size, _)| bytes >= *size) {
        // of 1000 to 1023 all four digits
        Some((size, unit)) if bytes / size >= 999.5 => format!("{:.0} {unit}", bytes / size),
        Some((size, unit)) => format!("{} {unit}", rounded(bytes / size, 3)),
        None => format!("{bytes:.0} B"),
    }
}

/// About how long something takes, in two digits or whole: `0.4 s`, `54 s`, `3 min`, `1.7 h`, `12 days`.
pub fn duration(seconds: f64) -> String {
    let (size, unit) = match seconds {
        s if s < 120.0 => (1.0, "s"),
        s if s < 5400.0 => (60.0, "min"),
        s if s < 100.0 * 3600.0 => (3600.0, "h"),
        _ => (86_400.0, "days"),
    };
    let number = seconds / size;
    if number < 10.0 { format!("{} {unit}", rounded(number, 2)) } else { format!("{number:.0} {unit}") }
}
