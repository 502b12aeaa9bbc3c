"""Refuses a dependency between our crates that points back along the walk of ARCHITECTURE.md."""

import json
import subprocess
import sys

KNOWS: dict[str, set[str]] = {
    "core": set(),
    "scenario": {"core"},
    "metrics": {"core"},
    "protocols": {"core"},
    "engine": {"core", "metrics"},
    "networks": {"core", "scenario", "metrics", "protocols", "engine"},
    "live": {"core", "scenario", "metrics", "protocols"},
    "lab": {"core", "scenario", "metrics", "protocols", "engine", "networks", "live"},
    "py": {"lab"},
}


def ours(package_name: str) -> str | None:
    """The folder of one of our crates, None for anybody else's."""
    return package_name.removeprefix("sojourn-") if package_name.startswith("sojourn-") else None


def main() -> int:
    """Prints every arrow that points back; 1 if there is one."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
    wrong = []
    for package in packages:
        name = ours(package["name"])
        if name is None or name not in KNOWS:
            wrong.append(f"{package['name']} has no place in the walk; give it one in tools/check_seams.py")
            continue
        normal = {ours(d["name"]) for d in package["dependencies"] if d["kind"] != "dev"} - {None}
        wrong += [f"{name} must not know {other}" for other in sorted(normal - KNOWS[name], key=str)]
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
