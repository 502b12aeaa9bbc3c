use proptest::prelude::*;

use super::*;

/// Line and column of the mistake, and what it says.
fn mistake(text: &str) -> (usize, usize, String) {
    let problem = read("link.csv", text).unwrap_err();
    let place = problem.place.unwrap();
    let (line, column) = place.source.line_and_column(place.span.start);
    assert_eq!(place.source.name, "link.csv");
    (line, column, problem.message)
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

#[test]
fn lines_of_milliseconds_are_opportunities() {
    let expected = RateTrace::of_opportunities([0, 2, 2, 40].map(ms).to_vec());
    assert_eq!(read("cell.up", "0\n2\n2\n40\n").ok(), expected);
    assert_eq!(read("cell.up", "0\r\n2\r\n2\r\n40").ok(), expected);
}

#[test]
fn rows_of_time_and_rate_are_rates_that_stay_or_begin_again() {
    let rates = [(ms(0), 10_000_000), (ms(1500), 2_500_000)];
    assert_eq!(read("a.csv", "time,rate\n0,10e6\n1.5,2500000\n").ok(), RateTrace::of_rates(&rates, None));
    let again = "\"rate\", \"time\", cell\n10e6,0,17\n2.5e6,1.5,17\n\n,3\n";
    assert_eq!(read("a.csv", again).ok(), RateTrace::of_rates(&rates, Some(ms(3000))));
}

#[test]
fn a_mistake_stands_at_its_line_and_column() {
    for (text, line, column, words) in [
        ("", 1, 1, "the file is empty"),
        ("1\n\n3\n", 2, 1, "\"\" is not a whole number of milliseconds"),
        ("1\n2.5\n", 2, 1, "\"2.5\" is not a whole number"),
        ("5\n4\n", 2, 1, "4 is before the 5 of the line above"),
        ("0\n0\n", 1, 1, "all opportunities are at 0"),
        ("1000000000\n", 1, 1, "less than 100 bit/s on average"),
        ("time,bandwidth\n0,1\n", 1, 1, "the first line has no title `rate`"),
        ("time,rate\n", 1, 1, "no rates"),
        ("time,rate\n1,5e6\n", 2, 1, "the first time is 1, and a trace begins at 0"),
        ("time,rate\n0,5e6\n1,fast\n", 3, 3, "\"fast\" is not a rate in bit/s"),
        ("time,rate\n0,5e6\nsoon,1e6\n", 3, 1, "\"soon\" is not a time in seconds"),
        ("time,rate\n0,5e6\n2,1e6\n2,3e6\n", 4, 1, "2 s is not after the time of the line above"),
        ("time,rate\n0,5e6\n2,-1\n", 3, 3, "\"-1\" is not a rate"),
        ("time,rate\n0,5e6\n2,0\n", 3, 1, "the link carries nothing for ever"),
        ("time,rate\n0,5e6\n2,\n3,4e6\n", 4, 1, "a time without a rate ends the trace"),
        ("time,rate\n0,NaN\n", 2, 3, "\"NaN\" is not a rate"),
    ] {
        let (at, character, message) = mistake(text);
        assert_eq!((at, character), (line, column), "{text:?}: {message}");
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn a_title_that_is_nearly_right_is_named() {
    let problem = read("a.csv", "time,rates\n0,1\n").unwrap_err();
    assert!(problem.help.unwrap().contains("rates"));
}

proptest! {
    #[test]
    fn any_text_is_a_trace_or_a_mistake_with_a_place(text in "(time,rate\n)?([0-9eE.,\\-\n\"x ]{0,60})") {
        match read("any", &text) {
            Ok(trace) => prop_assert!(trace.mean_rate() >= SLOWEST),
            Err(problem) => prop_assert!(problem.place.is_some()),
        }
    }

    #[test]
    fn what_is_written_of_a_trace_is_read_again(gaps in prop::collection::vec(0u64..50, 1..200)) {
        let mut at = 1;
        let instants: Vec<u64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        let text: String = instants.iter().map(|at| format!("{at}\n")).collect();
        prop_assert_eq!(read("any", &text).ok(), RateTrace::of_opportunities(instants.into_iter().map(ms).collect()));
    }
}
