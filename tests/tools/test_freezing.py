"""What frozen predictions contain, and which results cannot be frozen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/freeze_predictions.py"


@pytest.fixture
def results(tiny_study: Path) -> dict:
    return json.loads((tiny_study / "results.json").read_text())


def freeze(folder: Path, results: dict) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results))
    return subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True, check=False)


def test_results_of_a_dirty_build_cannot_be_frozen(tmp_path, results):
    done = freeze(tmp_path, results | {"commit": "abc1234-dirty"})

    assert done.returncode == 1
    assert "clean commit" in done.stderr


def test_results_with_a_failed_point_cannot_be_frozen(tmp_path, results):
    results["points"][3]["status"] = "failed: no steady state"

    done = freeze(tmp_path, results | {"commit": "abc1234"})

    assert done.returncode == 1
    assert results["points"][3]["experiment"] in done.stderr


def test_a_frozen_point_keeps_the_summaries_of_the_metrics_its_experiment_names(results):
    sys.path.insert(0, str(TOOL.parent))
    try:
        from freeze_predictions import frozen  # noqa: PLC0415
    finally:
        sys.path.pop(0)
    named = {point["experiment"]: ["response_time"] for point in results["points"]}

    kept = json.loads(frozen(results, named))

    assert len(kept["points"]) == len(results["points"])
    for point, whole in zip(kept["points"], results["points"], strict=True):
        (metric,) = point["metrics"].values()
        assert metric["mean"] == whole["metrics"]["response_time"]["mean"]
        assert "by_replication" not in metric
        assert (point["experiment"], point["set"]) == (whole["experiment"], whole["set"])
