use serde_json::Value;

use super::*;

/// What is shown how, for Rust, Python and pages.
fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../../tests/numbers.json")).unwrap()
}

fn text(case: &Value) -> String {
    let number = |name: &str| case[name].as_f64();
    let open = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let value = number("value");
    let shown = Shown::metric(case["metric"].as_str().unwrap_or_default(), case["unit"].as_str().unwrap_or("1"));
    let digits = case["digits"].as_u64().unwrap_or(DIGITS as u64) as usize;
    match case["of"].as_str().unwrap() {
        "value" => shown.value(value, number("beside").unwrap_or_default(), digits),
        "interval" => {
            let ends = case["interval"].as_array().map(|ends| (ends[0].as_f64().unwrap_or_default(), ends[1].as_f64()));
            shown.interval(value, ends)
        }
        "ends" => {
            let like = number("like").unwrap_or_default();
            shown.ends(value.unwrap_or(f64::NAN), (open(&case["ends"][0]), open(&case["ends"][1])), like)
        }
        "span" => shown.span(value.unwrap(), (number("low").unwrap(), number("high"))),
        "significant" => significant(value.unwrap_or(f64::INFINITY), digits),
        "rounded" => rounded(value.unwrap(), digits),
        "percent" => percent(value.unwrap(), number("decimals").unwrap() as usize, case["signed"] == true),
        "percent lost" => percent_lost(value.unwrap(), number("decimals").unwrap() as usize),
        "size" => size(value.unwrap()),
        "duration" => duration(value.unwrap()),
        other => panic!("nothing shows {other}"),
    }
}

#[test]
fn numbers_are_written_as_the_table_has_them() {
    for case in cases() {
        assert_eq!(text(&case), case["text"].as_str().unwrap(), "{case}");
    }
}

#[test]
fn what_hardly_differs_is_written_so_that_it_shows() {
    assert_eq!(apart(100.2, 100.0), ["100.2", "100"]);
    assert_eq!(apart(1.5, 0.5), ["1.5", "0.5"]);
    assert_eq!(apart(2.0, 2.0), ["2", "2"]);
}

#[test]
fn no_number_is_too_strange_to_be_written() {
    for value in [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, -0.0] {
        for other in [f64::NAN, 0.0, 1.0, f64::INFINITY] {
            let shown = Shown::unit("s");
            shown.interval(Some(value), Some((other, Some(value))));
            shown.interval(Some(other), Some((value, None)));
            shown.ends(value, (other, value), other);
            shown.span(value, (other, Some(value)));
            let amounts = [percent(value, 1, true), size(value), duration(value), rounded(value, 3)];
            assert!(amounts.iter().all(|text| !text.is_empty()), "{value}: {amounts:?}");
        }
    }
}
