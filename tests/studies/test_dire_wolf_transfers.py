"""The study of transfers between two Dire Wolf TNCs: its score as frozen, and that of the model mended since."""

from pathlib import Path
from statistics import median

import pytest

from sojourn.comparison.published import against_published, blind_score
from sojourn.results import read_results
from sojourn.study import load_study

STUDY = "dire-wolf-transfers"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def mended(written_by):
    """All 22 transfers of the model as it is, each compared with what was published."""
    return against_published(read_results(written_by("study", STUDY)), load_study(STUDY).published)


def where(match):
    """A row by its experiment and window."""
    return match.published.experiment, match.published.set.get("station.window")


def test_the_predictions_as_frozen_met_12_of_22():
    study = load_study(STUDY)
    score = blind_score(against_published(read_results(study.folder / "predictions.json"), study.published))

    assert score is not None
    assert (score.met, len(score.matches)) == (12, 22)
    assert [where(match) for match in score.missed[:2]] == [("g3ruh-rej-10", None), ("afsk-128", None)]


def test_the_mended_model_meets_20_of_22_and_misses_go_back_at_1200_bit_s(mended):
    missed = {where(match)[0]: match.deviation for match in mended if not match.agrees}

    assert len(mended) == 22
    assert missed.keys() == {"afsk-rej-5", "afsk-rej-10"}
    assert missed["afsk-rej-5"] == pytest.approx(0.153, abs=0.001)
    assert missed["afsk-rej-10"] == pytest.approx(0.303, abs=0.001)
    assert median(abs(match.deviation) for match in mended) == pytest.approx(0.025, abs=0.001)


def test_without_lost_frames_the_mended_model_is_within_6_percent_of_each(mended):
    lossless = [match for match in mended if "rej" not in match.published.experiment]

    assert len(lossless) == 14
    assert max(abs(match.deviation) for match in lossless) < 0.06


def test_the_page_on_fidelity_states_both_scores():
    page = (ROOT / "docs/concepts/fidelity.md").read_text(encoding="utf-8")
    section = page.partition("## Dire Wolf transfers")[2].partition("\n## ")[0]

    assert "**12 of 22**" in section
    assert "**20 of 22**" in section
    assert section.index("1200 bit/s by REJ") < section.index("**20 of 22**"), "misses first"
