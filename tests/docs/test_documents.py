"""What tutorial and how-tos show is what happens: their files are written and their commands run, in order.

A block "toml name.toml", "dbc name.dbc" or "text name.log" is a file.
A block "console" holds commands behind `$ `; one ending in `# exit 1` shall do so.
Lines without `$ ` are what the page shows of the output and are not compared.
"""

import re
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LONG = {"events", "find", "packet-radio-users", "site", "voice-calls"}
"""Pages whose simulations take longest: their commands run every night."""
PAGES = [
    pytest.param(page, marks=pytest.mark.nightly if page.stem in LONG else (), id=f"{page.parent.name}/{page.stem}")
    for page in sorted([*DOCS.glob("tutorial/*.md"), *DOCS.glob("how-to/*.md")])
]
BLOCK = re.compile(
    r"^```(?P<kind>toml|dbc|text|python|console) ?(?P<name>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
EXIT = re.compile(r"\s+# exit (\d+)$")


def commands(text: str) -> list[tuple[str, int]]:
    """The commands of a console block with the exit status each should have; a backslash continues a line."""
    joined = text.replace("\\\n", " ")
    found = [line[2:] for line in joined.splitlines() if line.startswith("$ ")]
    return [(EXIT.sub("", line), int(m[1]) if (m := EXIT.search(line)) else 0) for line in found]


@pytest.mark.parametrize("page", PAGES)
def test_every_file_and_command_of_the_page_works(page, tool, tmp_path, environment):
    environment["PATH"] = f"{tool.parent}:{environment['PATH']}"
    ran = 0
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["kind"] != "console":
            if block["name"]:
                (tmp_path / block["name"]).write_text(block["text"], encoding="utf-8")
            continue
        for command, expected in commands(block["text"]):
            done = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
            )  # fmt: skip
            assert done.returncode == expected, f"$ {command}\n{done.stdout}{done.stderr}"
            assert "Traceback" not in done.stderr
            ran += 1
    assert ran > 0, "the page runs nothing"


def test_the_readme_shows_in_a_screenful_of_lines_what_its_commands_print(tool, tmp_path, environment):
    environment |= {"PATH": f"{tool.parent}:{environment['PATH']}", "COLUMNS": "100"}
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")

    assert len(readme.splitlines()) <= 150
    for block in BLOCK.finditer(readme):
        printed = ""
        for line in block["text"].splitlines():
            if line.startswith("$ "):
                done = subprocess.run(
                    ["bash", "-c", line[2:]],
                    cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False,
                )  # fmt: skip
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
                printed = " ".join(f"{done.stdout} {done.stderr}".split())
            else:
                assert line in printed, block["text"]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_every_link_of_the_page_leads_somewhere(page):
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]

    assert [target for target in local if not (page.parent / target).exists()] == []
