"""Freezes a study's results as its predictions: `tools/freeze_predictions.py OUT` after `sojourn study NAME --out OUT`.

Writes `studies/NAME/predictions.json`: every point, one line each, with the summaries of the metrics that its
experiment lists, without the values of individual replications. The commit that adds the file declares the study
complete; the report prints the file's hash.
"""

import json
import sys
from pathlib import Path
from typing import Any

from sojourn.bindings import call_json

STUDIES = Path(__file__).resolve().parents[1] / "studies"
HEAD = ("schema", "sojourn", "commit", "study", "network", "world", "seed", "scenario_hash", "method", "axes")


def main() -> None:
    """Reads the folder of results named on the command line and writes the study's predictions."""
    if len(sys.argv) != 2:
        sys.exit("usage: freeze_predictions.py FOLDER_OF_RESULTS")
    results = json.loads((Path(sys.argv[1]) / "results.json").read_text(encoding="utf-8"))
    if results["commit"].endswith("-dirty") or results["commit"] == "unknown":
        sys.exit(f"these results are from build {results['commit']!r}; build from a clean commit first")
    folder = STUDIES / results["study"]
    if not folder.is_dir():
        sys.exit(f"there is no study {results['study']!r}")
    failed = [point["experiment"] for point in results["points"] if point["status"] != "ok"]
    if failed:
        sys.exit(f"points of {', '.join(sorted(set(failed)))} failed")
    path = folder / "predictions.json"
    named = {entry["id"]: entry["metrics"] for entry in call_json("study", str(folder))["experiments"]}
    path.write_text(frozen(results, named), encoding="utf-8")
    print(f"wrote {path} with {len(results['points'])} points")


def frozen(results: dict[str, Any], named: dict[str, list[str]]) -> str:
    """The text of `predictions.json`."""
    head = json.dumps({name: results[name] for name in HEAD})
    points = ",\n".join(json.dumps(summary(point, named[point["experiment"]])) for point in results["points"])
    return f'{head[:-1]}, "points": [\n{points}\n]}}\n'


def summary(point: dict[str, Any], named: list[str]) -> dict[str, Any]:
    """A point with the named metrics, without individual replications."""
    metrics = {
        name: {field: value for field, value in point["metrics"][name].items() if field != "by_replication"}
        for name in named
    }
    return {**point, "metrics": metrics}


if __name__ == "__main__":
    main()
