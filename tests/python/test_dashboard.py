"""A dashboard has the structure that Grafana imports, and rules have every condition once."""

import json

import pytest
import yaml

from sojourn.prometheus.dashboard import COLUMNS, dashboard
from sojourn.prometheus.rules import conditions, rules


@pytest.mark.parametrize(("mesh", "labels"), [(False, ["target"]), (True, ["from", "to"])])
def test_targets_are_chosen_by_variables_of_their_labels(mesh: bool, labels: list[str]) -> None:
    found = dashboard("Sojourn: site", mesh=mesh)

    assert [one["name"] for one in found["templating"]["list"]] == ["source", *labels]
    expressions = [target["expr"] for panel in found["panels"] for target in panel["targets"]]
    assert "sojourn_target_up{" + ",".join(f'{label}=~"${{{label}:regex}}"' for label in labels) + "}" in expressions
    assert not [one for one in expressions if "OF" in one or "BY" in one]


def test_panels_lie_beside_each_other_and_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard("Sojourn: site", mesh=False)["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert max(x for x, _ in cells) < COLUMNS
        assert not cells & taken
        taken |= cells


def test_the_median_is_a_line_and_each_percentile_above_it_a_band_down_to_the_one_below() -> None:
    (smoke,) = [panel for panel in dashboard("Sojourn: site", mesh=False)["panels"] if "repeat" in panel]

    bands = {
        one["matcher"]["options"]: {each["id"]: each["value"] for each in one["properties"]}.get("custom.fillBelowTo")
        for one in smoke["fieldConfig"]["overrides"]
    }
    assert bands == {"p50": None, "p90": "p50", "p95": "p90", "p99": "p95", "p99.9": "p99"}
    assert json.loads(json.dumps(smoke)) == smoke


def test_each_condition_of_a_document_is_a_rule_with_its_limit(tmp_path) -> None:
    file = tmp_path / "site.toml"
    file.write_text("""
        [[target]]
        name = "a"
        expect = ["response_time.p99 < 5 ms", "loss < 1 %"]
        [expect]
        loss = "< 1 %"
        response_time.p99 = ["< 20 ms"]
    """)

    found = yaml.safe_load(rules(conditions(file, ["outages = 0"]), mesh=False))["groups"][0]["rules"]

    assert [rule["expr"] for rule in found] == [
        'sojourn_alert_raised{condition="loss < 1 %"} == 1',
        'sojourn_alert_raised{condition="response_time.p99 < 20 ms"} == 1',
        'sojourn_alert_raised{condition="response_time.p99 < 5 ms"} == 1',
        'sojourn_alert_raised{condition="outages = 0"} == 1',
        "sojourn_target_up == 0",
        "absent(sojourn_build_info)",
    ]
    assert len({(rule["alert"], rule["labels"].get("condition")) for rule in found}) == len(found)
