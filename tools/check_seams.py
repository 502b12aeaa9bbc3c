"""Refuses a dependency between our crates against the order of ARCHITECTURE.md."""

import json
import subprocess
import sys
from pathlib import Path

MODEL = {"core", "scenario", "metrics", "engine", "bounds"}
NETWORK = MODEL | {"model", "protocols"}
NETWORKS = {folder.name for folder in (Path(__file__).resolve().parent.parent / "networks").iterdir()}
KNOWS: dict[str, set[str]] = {
    "core": set(),
    "scenario": {"core"},
    "metrics": {"core"},
    "protocols": {"core"},
    "engine": {"core", "metrics"},
    "bounds": {"core", "metrics", "engine"},
    "model": MODEL,
    **dict.fromkeys(NETWORKS, NETWORK),
    "catalogue": NETWORKS | {"model", "scenario"},
    "experiment": MODEL | {"model"},
    "protocols-tests": {"core", "protocols"},
    "capture": {"core", "metrics", "protocols"},
    "twin": {"core", "metrics", "protocols", "capture"},
    "analysis": MODEL | {"protocols", "model", "experiment", "capture", "twin"},
    "live": {"core", "scenario", "metrics", "protocols"},
    "lab": MODEL | {"protocols", "model", "catalogue", "lan", "experiment", "capture", "twin", "analysis", "live"},
    "agent": {"lab", "live", "scenario"},
    "py": {"lab", "scenario", "metrics"},
    "wasm": {"scenario", "metrics", "model", "catalogue", "experiment", "capture", "twin", "analysis"},
    "benches": NETWORK | NETWORKS | {"catalogue", "experiment", "capture", "live", "lab"},
}
"""What each crate may depend on. A network knows no other network, and below the catalogue nothing knows one."""


def ours(package_name: str) -> str | None:
    """The folder of one of our crates, None for other packages."""
    return package_name.removeprefix("sojourn-") if package_name.startswith("sojourn-") else None


def wrong_dependencies(dependencies: dict[str, set[str]]) -> list[str]:
    """One line for each forbidden dependency between our crates."""
    wrong = []
    for package, needed in sorted(dependencies.items()):
        name = ours(package)
        if name is None or name not in KNOWS:
            wrong.append(f"{package} has no place in the order; add it in tools/check_seams.py")
            continue
        known = {other for other in map(ours, needed) if other is not None}
        wrong += [f"{name} must not depend on {other}" for other in sorted(known - KNOWS[name])]
    return wrong


def main() -> int:
    """Prints every forbidden dependency; 1 if there is one."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
    needed = {p["name"]: {d["name"] for d in p["dependencies"] if d["kind"] != "dev"} for p in packages}
    wrong = wrong_dependencies(needed)
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
