"""The head of a study's report: the range over its experiments, and the table behind it."""

from types import SimpleNamespace

from sojourn.report import study_headline
from sojourn.report.page import listed

RAW = {"kind": "values", "x": "background.rate", "y": "response_time", "at": [100.0, 200.0]}
STUDY = SimpleNamespace(titles={"E": "Priority"}, answers=[RAW], published=[])
TIMES = {
    "D": {100.0: [20, 22], 200.0: [40, 60]},
    "E": {100.0: [10, 12], 200.0: [11, 13]},
    "F": {100.0: [20, 24], 200.0: [90, 94]},
}


def test_of_many_experiments_the_least_and_the_largest_value_are_given_in_one_line(loaded) -> None:
    said = study_headline.extremes(loaded(TIMES), STUDY, RAW)

    assert said == "Response time at 200 packets/s: from 12 ± 13 ms with E (priority) to 92 ± 25 ms with F."


def test_two_experiments_need_no_range(loaded) -> None:
    two = {name: TIMES[name] for name in ("D", "E")}

    assert not study_headline.extremes(loaded(two), STUDY, RAW)


def test_the_table_has_a_row_for_each_experiment_and_a_column_for_each_end_of_the_key(loaded) -> None:
    table = study_headline.table(loaded(TIMES), STUDY, RAW)

    assert table is not None
    assert list(table.head) == ["Experiment", "100 packets/s", "200 packets/s"]
    assert [row[0] for row in table.rows] == ["D", "E (priority)", "F"]
    assert all("–" not in cell for row in table.rows for cell in row)


def test_a_sentence_of_many_parts_becomes_a_list_and_short_sentences_stay_together() -> None:
    text = "Response time at 64 bytes: D (one FIFO; Reno) 1 ms; E 2 ms; F 3 ms; G 4 ms. It rises. Slowly."

    assert listed(text) == [
        ("Response time at 64 bytes:", ["D (one FIFO; Reno) 1 ms", "E 2 ms", "F 3 ms", "G 4 ms"]),
        ("It rises. Slowly.", []),
    ]
