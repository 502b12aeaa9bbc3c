//! Values of keys, by what they measure.

/// A value of a key.
pub(crate) trait Written {
    /// Its SI unit, as declarations name it; empty where it has none.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it with the declaration"))]
    const UNIT: &'static str;

    /// The value as TOML.
    fn written(&self) -> String;
}

/// Declares types of values: a wrapped type, the unit, and how it is written.
macro_rules! values {
    ($($(#[$about:meta])* $name:ident($inner:ty) in $unit:literal: $written:expr;)+) => {
        $($(#[$about])* #[derive(Clone, Debug, PartialEq)] pub(crate) struct $name(pub $inner);

        impl From<$inner> for $name {
            fn from(value: $inner) -> $name {
                $name(value)
            }
        }

        impl Written for $name {
            const UNIT: &'static str = $unit;

            fn written(&self) -> String {
                let written: fn(&$inner) -> String = $written;
                written(&self.0)
            }
        })+
    };
}

values! {
    /// A text: a name, or a word.
    Text(String) in "": |text| quoted(text);
    /// A whole number.
    Whole(u64) in "": |number| number.to_string();
    /// A number in four digits.
    Number(f64) in "": |number| digits(*number);
    /// `true` or `false`.
    Boolean(bool) in "": |truth| truth.to_string();
    /// Names; of one the name itself.
    Names(Vec<String>) in "": |names| if let [only] = &names[..] { quoted(only) } else { array(names) };
    /// Names, as a list even of one.
    List(Vec<String>) in "": |names| array(names);
    /// A share of one, as a percentage.
    Share(f64) in "1": |share| quoted(&format!("{} %", digits(100.0 * share)));
    /// A bit error rate.
    ErrorRate(f64) in "": |rate| format!("{rate:.3e}");
    /// A number of bytes.
    Octets(f64) in "B": |octets| quoted(&format!("{} B", digits(*octets)));
    /// A frequency in megahertz.
    Megahertz(f64) in "Hz": |frequency| quoted(&format!("{} MHz", digits(*frequency)));
    /// A length in metres.
    Length(f64) in "m": |length| quoted(&format!("{} m", digits(*length)));
}

impl From<u32> for Whole {
    fn from(number: u32) -> Whole {
        Whole(number.into())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.to_owned())
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Text {
        Text(text.clone())
    }
}

/// A whole number that is written as those are who use it: 0x1AB.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hexadecimal(pub u32);

impl From<u32> for Hexadecimal {
    fn from(number: u32) -> Hexadecimal {
        Hexadecimal(number)
    }
}

impl Written for Hexadecimal {
    const UNIT: &'static str = "";

    fn written(&self) -> String {
        format!("0x{:03X}", self.0)
    }
}

/// A time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Time {
    /// In seconds; written in a unit that fits.
    Seconds(f64),
    /// In seconds; written in a unit that fits, to the nanosecond.
    Exact(f64),
    /// In milliseconds, written so.
    Milliseconds(u64),
    /// Without an end.
    Never,
}

impl From<f64> for Time {
    fn from(seconds: f64) -> Time {
        Time::Seconds(seconds)
    }
}

impl Written for Time {
    const UNIT: &'static str = "s";

    fn written(&self) -> String {
        match self {
            Time::Seconds(seconds) => quoted(&span(*seconds)),
            Time::Exact(seconds) => quoted(&precise(*seconds)),
            Time::Milliseconds(time) => quoted(&format!("{time} ms")),
            Time::Never => quoted("never"),
        }
    }
}

/// The rate of a link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BitRate {
    /// In bit/s.
    Limit(f64),
    /// None of its own.
    Unlimited,
}

impl BitRate {
    /// Without the quotes of a value.
    pub fn shown(&self) -> String {
        match self {
            BitRate::Unlimited => "unlimited".to_owned(),
            BitRate::Limit(rate) => in_largest(rate.max(1e3), &[(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")]),
        }
    }
}

impl Written for BitRate {
    const UNIT: &'static str = "bit/s";

    fn written(&self) -> String {
        quoted(&self.shown())
    }
}

/// The rate of a radio channel or of a serial line, as TNCs state it: 9600 bit/s.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LineRate(pub f64);

impl From<f64> for LineRate {
    fn from(rate: f64) -> LineRate {
        LineRate(rate)
    }
}

impl LineRate {
    /// Without the quotes of a value.
    pub fn shown(&self) -> String {
        let steps = if self.0 < 1e5 { &[(1.0, "bit/s")][..] } else { &[(1e6, "Mbit/s"), (1e3, "kbit/s")] };
        in_largest(self.0.max(1.0), steps)
    }
}

impl Written for LineRate {
    const UNIT: &'static str = "bit/s";

    fn written(&self) -> String {
        quoted(&self.shown())
    }
}

/// An inline table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inline(Vec<String>);

impl Inline {
    /// The table with a further key.
    #[must_use]
    pub fn with<V: Written>(mut self, key: super::Key<V>, value: impl Into<V>) -> Inline {
        self.0.push(key.with(value));
        self
    }

    /// Whether it has no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Written for Inline {
    const UNIT: &'static str = "";

    fn written(&self) -> String {
        format!("{{ {} }}", self.0.join(", "))
    }
}

/// Times in their order, s: written, or a column of a file beside the scenario.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Recorded {
    /// In the scenario.
    Written(Vec<f64>),
    /// In a file, below the title of a column.
    Column { file: String, column: &'static str },
    /// In a file with those of the packets of a path that are lost, below the title of another column, if any is.
    Path { file: String, column: &'static str, lost: Option<&'static str> },
}

impl Written for Recorded {
    const UNIT: &'static str = "s";

    fn written(&self) -> String {
        match self {
            Recorded::Written(times) => {
                let times: Vec<String> = times.iter().map(|time| format!("{} s", exact(*time))).collect();
                format!("{{ kind = \"recorded\", values = {} }}", array(&times))
            }
            Recorded::Column { file, column } => {
                format!("{{ kind = \"recorded\", file = {}, column = {} }}", quoted(file), quoted(column))
            }
            Recorded::Path { file, column, lost } => {
                let lost = lost.map_or_else(String::new, |title| format!(", lost = {}", quoted(title)));
                format!("{{ kind = \"recorded\", file = {}, column = {}{lost} }}", quoted(file), quoted(column))
            }
        }
    }
}

/// A duration that varies or does not, s.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Varying {
    /// Always as long.
    Constant(f64),
    /// Each of these as likely as the others.
    Drawn(Vec<f64>),
}

impl Written for Varying {
    const UNIT: &'static str = "s";

    fn written(&self) -> String {
        match self {
            Varying::Constant(seconds) => quoted(&span(*seconds)),
            Varying::Drawn(times) => {
                let times: Vec<String> = times.iter().map(|time| span(*time)).collect();
                format!("{{ kind = \"empirical\", values = {} }}", array(&times))
            }
        }
    }
}

/// Seconds to the nanosecond.
pub(crate) fn exact(seconds: f64) -> String {
    let text = format!("{:.9}", seconds.max(0.0));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A duration of a scenario to the nanosecond.
fn precise(seconds: f64) -> String {
    let (scaled, decimals, unit) = match seconds {
        s if s <= 0.0 => return "0 s".to_owned(),
        s if s < 1e-3 => (s * 1e6, 3, "µs"),
        s if s < 1.0 => (s * 1e3, 6, "ms"),
        s => (s, 9, "s"),
    };
    let text = format!("{scaled:.decimals$}");
    format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// The next number above that has four significant digits; half a digit more at the least, so that what ends with the capture ends
/// before it.
pub(crate) fn rounded_up(number: f64) -> f64 {
    let step = libm::pow(10.0, libm::floor(libm::log10(number)) - 3.0);
    libm::ceil(number / step + 0.5) * step
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn array(texts: &[String]) -> String {
    toml::Value::from(texts.to_vec()).to_string()
}

fn in_largest(value: f64, steps: &[(f64, &str)]) -> String {
    let (size, unit) = steps.iter().find(|(size, _)| value >= *size).unwrap_or(&steps[steps.len() - 1]);
    format!("{} {unit}", digits(value / size))
}

/// A duration of a scenario with four significant digits.
pub(crate) fn span(seconds: f64) -> String {
    let (scaled, unit) = match seconds {
        s if s <= 0.0 => return "0 s".to_owned(),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", digits(scaled))
}

/// A number with four significant digits, without an exponent.
pub(crate) fn digits(number: f64) -> String {
    let before = if number.abs() < 1.0 { 0 } else { libm::log10(number.abs()) as usize + 1 };
    let text = format!("{number:.*}", 4_usize.saturating_sub(before).min(4));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_four_digits_and_a_unit_that_fits() {
        let shown = [0.0, 2.5e-5, 0.128, 1.5, 60.0, 86_400.0].map(span);
        assert_eq!(shown, ["0 s", "25 µs", "128 ms", "1.5 s", "60 s", "86400 s"]);
        assert_eq!(span(1.234_567), "1.235 s");
    }

    #[test]
    fn a_rate_has_four_digits_and_a_unit_that_fits() {
        let shown = [1.234_56e7, 9.6e3, 2e9].map(|rate| BitRate::Limit(rate).shown());
        assert_eq!(shown, ["12.35 Mbit/s", "9.6 kbit/s", "2 Gbit/s"]);
        assert_eq!(
            [1200.0, 153_600.0, 1e7].map(|rate| LineRate(rate).written()),
            ["\"1200 bit/s\"", "\"153.6 kbit/s\"", "\"10 Mbit/s\""]
        );
    }

    #[test]
    fn a_text_with_quotes_and_controls_stays_one_string() {
        for text in ["a \"b\"\n", "it's", "\\", "\u{7}"] {
            let document: toml::Table = format!("a = {}", quoted(text)).parse().unwrap();
            assert_eq!(document["a"].as_str(), Some(text));
        }
    }

    #[test]
    fn a_length_is_rounded_up_to_four_digits() {
        assert_eq!(
            [0.08612345, 60.0, 1.0004, 86_400.0].map(|length| span(rounded_up(length))),
            ["86.13 ms", "60.01 s", "1.001 s", "86410 s"]
        );
    }

    #[test]
    fn an_exact_time_has_its_nanoseconds_and_an_identifier_its_digits() {
        let shown = [0.0, 1.234_567e-6, 0.010_000_25, 1.0, 2.000_000_001].map(precise);
        assert_eq!(shown, ["0 s", "1.235 µs", "10.00025 ms", "1 s", "2.000000001 s"]);
        assert_eq!([0x7e8, 0x18fe_caf9, 5].map(|id| Hexadecimal(id).written()), ["0x7E8", "0x18FECAF9", "0x005"]);
    }

    #[test]
    fn recorded_times_are_written_to_the_nanosecond() {
        let written = Recorded::Written(vec![0.0, 1.5, 1.234_567_891_2e-3]).written();
        assert_eq!(written, "{ kind = \"recorded\", values = [\"0 s\", \"1.5 s\", \"0.001234568 s\"] }");
        let column = Recorded::Column { file: "twin-a.csv".to_owned(), column: "think" }.written();
        assert_eq!(column, "{ kind = \"recorded\", file = \"twin-a.csv\", column = \"think\" }");
    }

    #[test]
    fn a_duration_that_varies_is_drawn_from_its_values() {
        assert_eq!(Varying::Constant(0.0025).written(), "\"2.5 ms\"");
        let drawn = Varying::Drawn(vec![0.0, 1.5]).written();
        assert_eq!(drawn, "{ kind = \"empirical\", values = [\"0 s\", \"1.5 s\"] }");
    }

    #[test]
    fn a_list_of_one_name_is_the_name_where_that_is_allowed() {
        let names = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(Names(names(&["a"])).written(), "\"a\"");
        assert_eq!(Names(names(&["a", "b"])).written(), "[\"a\", \"b\"]");
        assert_eq!(List(names(&["a"])).written(), "[\"a\"]");
    }
}
