"""Editors find the schema of a scenario by its first line, and complete, explain and check its keys by it."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import ROOT
from .language_server import LanguageServer

EXAMPLES = sorted(ROOT.glob("examples/*.toml"))
needs_tombi = pytest.mark.skipif(shutil.which("tombi") is None, reason="tombi is not installed: pip install tombi")
needs_taplo = pytest.mark.skipif(shutil.which("taplo") is None, reason="taplo is not installed: pip install taplo")

MISTAKES = {
    'rate = "80 /s"': ['raet = "80 /s"', 'rate = "80 furlong"', "rate = true"],
    "stations = 32": ['stations = "many"', "stations = 0", "statoins = 32"],
    'service = "acknowledged"': ['service = "acknowledge"', "service = 3"],
    "[background]": ["[backgruond]"],
}
"""Lines of the scenario that `sojourn new lontalk` writes, and what makes mistakes of them."""


@pytest.fixture
def site(sojourn, tmp_path: Path) -> Path:
    assert sojourn("new", "lontalk", "-o", "site.toml").returncode == 0
    return tmp_path / "site.toml"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LanguageServer]:
    found = LanguageServer(["tombi", "lsp", "--offline"], tmp_path)
    yield found
    found.close()


def schema_of(file: Path) -> Path:
    first = file.read_text().splitlines()[0]
    assert first.startswith("#:schema file:///")
    return Path(first.removeprefix("#:schema file://"))


def line_of(file: Path, text: str) -> int:
    return file.read_text().splitlines().index(text) + 1


def wrong(site: Path) -> Iterator[tuple[Path, int]]:
    """The scenario with each mistake, and its line."""
    for right, ones in MISTAKES.items():
        for number, one in enumerate(ones):
            file = site.with_name(f"{line_of(site, right)}-{number}.toml")
            file.write_text(site.read_text().replace(f"\n{right}\n", f"\n{one}\n"))
            yield file, line_of(file, one)


def test_new_writes_the_url_of_a_schema_that_says_what_it_is_and_the_scenario_is_valid(site, sojourn) -> None:
    schema = json.loads(schema_of(site).read_text())

    assert schema["title"] == "A Sojourn scenario of kind lontalk"
    assert "`sojourn schema lontalk --out FILE` writes it anew" in schema["$comment"]
    assert sojourn("check", "site.toml").returncode == 0
    assert sojourn("run", "site.toml", "--replications", "1", "--set", "run.duration=5 s").returncode == 0


def test_what_is_printed_has_no_url_of_this_host(sojourn) -> None:
    assert "#:schema" not in sojourn("new", "lontalk").stdout


def test_the_next_new_writes_a_schema_of_an_older_version_anew(site, sojourn) -> None:
    now = schema_of(site).read_text()
    schema_of(site).write_text('{"title": "of an older version"}')

    sojourn("new", "lontalk", "-o", "other.toml")

    assert schema_of(site).read_text() == now


def test_without_a_folder_for_it_the_scenario_is_written_without_a_schema(sojourn, tmp_path, environment) -> None:
    (tmp_path / "file").write_text("")

    done = sojourn("new", "lontalk", "-o", "site.toml", env=environment | {"XDG_DATA_HOME": str(tmp_path / "file")})

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site.toml").read_text().startswith("# ")


def test_schema_writes_a_file_for_a_project_that_names_its_scenarios_by_pattern(sojourn, tmp_path) -> None:
    sojourn("schema", "--out", "sojourn.schema.json")

    assert json.loads((tmp_path / "sojourn.schema.json").read_text())["title"] == "A Sojourn scenario"
    entry = json.loads((ROOT / "packaging/editors/schemastore-entry.json").read_text())
    assert entry["fileMatch"] == ["*.sojourn.toml"]
    for name in ("tombi.toml", "taplo.toml"):
        text = (ROOT / "packaging/editors" / name).read_text()
        assert 'include = ["**/*.sojourn.toml"]' in text
        assert 'path = "sojourn.schema.json"' in text


@needs_tombi
def test_the_language_server_of_tombi_finds_each_mistake_at_its_line(site, server) -> None:
    assert server.mistakes(site) == []
    # a table begins with the comment above it
    missed = [file.name for file, line in wrong(site) if not {line, line - 1} & dict(server.mistakes(file)).keys()]
    assert missed == []


@needs_tombi
def test_the_language_server_of_tombi_explains_a_key_and_completes_the_others(site, server) -> None:
    line = line_of(site, "[background]")
    texts = site.read_text().splitlines()
    texts.insert(line, "")
    site.write_text("\n".join(texts) + "\n")
    server.mistakes(site)  # by then it has read the schema
    uri = site.as_uri()

    explained = server.at("hover", uri, line_of(site, "retries = 3"), 2)["contents"]["value"]
    completed = server.at("completion", uri, line + 1, 0)
    labels = {one["label"] for one in (completed if isinstance(completed, list) else completed["items"])}

    assert "etries" in explained
    assert {"priority", "receive_timer", "addressing"} <= labels
    assert "retries" not in labels, "the table has it already"


@needs_tombi
def test_tombi_finds_nothing_in_the_examples(sojourn, server, tmp_path) -> None:
    sojourn("schema", "--out", "sojourn.schema.json")
    found = {}
    for example in EXAMPLES:
        file = tmp_path / example.name
        file.write_text(f"#:schema {(tmp_path / 'sojourn.schema.json').as_uri()}\n{example.read_text()}")
        found[example.name] = server.mistakes(file)

    assert {name: mistakes for name, mistakes in found.items() if mistakes} == {}


@needs_taplo
def test_taplo_finds_the_same_mistakes_and_none_in_the_scenario(site, tmp_path) -> None:
    def lint(file: Path) -> int:
        command = ["taplo", "lint", "--no-auto-config", str(file)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert lint(site) == 0
    assert [file.name for file, _ in wrong(site) if lint(file) == 0] == []
