"""Refuses a dependency whose licence is not permissive, in both locks' worlds: crates and installed Python packages."""

import json
import re
import subprocess
import sys
from importlib import metadata

PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0",
    "PSF-2.0", "Python-2.0", "Unicode-3.0", "Unlicense", "Zlib",
}  # fmt: skip
# Only tests import these, unchanged, and nothing of them is distributed; file-scoped copyleft.
TEST_TOOLS = {"hypothesis": "MPL-2.0", "pathspec": "MPL-2.0"}
# Packages that name their licence in prose.
PROSE = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "Dual License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


def is_permissive(expression: str) -> bool:
    """Whether every AND part of an SPDX expression offers a permissive licence."""
    plain = re.sub(r"\s+WITH\s+[\w.-]+", "", expression)
    return all(PERMISSIVE & set(re.findall(r"[\w.+-]+", part)) for part in re.split(r"\bAND\b", plain))


def crates() -> list[tuple[str, str]]:
    """Name and licence of every crate in Cargo.lock that is not ours."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
    return [(p["name"], p["license"] or "none given") for p in packages if p["source"]]


def wheels() -> list[tuple[str, str]]:
    """Name and licence of every installed Python package that is not ours or the installer's."""
    found = []
    for package in metadata.distributions():
        about = package.metadata
        name = about["Name"]
        if name in {"sojourn", "pip", "setuptools"}:
            continue
        classified = [c.rsplit(" :: ", 1)[-1] for c in about.get_all("Classifier") or [] if c.startswith("License ::")]
        prose = classified[-1] if classified else (about["License"] or "none given").splitlines()[0]
        found.append((name, about["License-Expression"] or PROSE.get(prose, prose)))
    return found


def main() -> int:
    """Prints what is not permissive; 1 if anything is not."""
    refused = sorted(
        f"{name}: {licence}"
        for name, licence in {*crates(), *wheels()}
        if not is_permissive(licence) and TEST_TOOLS.get(name) != licence
    )
    for line in refused:
        print(f"not a permissive licence: {line}", file=sys.stderr)
    return bool(refused)


if __name__ == "__main__":
    sys.exit(main())
