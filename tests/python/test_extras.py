"""The packages of the extras: what is missing is named, with the extra that brings it."""

import tomllib
from pathlib import Path

import pytest

from sojourn import extras
from sojourn.cli import exit_code
from sojourn.errors import MissingExtra

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_a_missing_package_ends_a_command_with_one_line_that_names_its_extra(monkeypatch, capsys):
    monkeypatch.setattr(extras, "find_spec", lambda package: None)

    def command(*_, **__):
        extras.require("distributed", "workers of a cluster")

    assert exit_code(command) == 2
    assert capsys.readouterr().err == (
        "sojourn: workers of a cluster need the extra 'cluster': pip install 'sojourn[cluster]'\n"
    )


def test_an_installed_package_is_not_refused():
    extras.require("altair", "figures")


def test_a_package_without_an_extra_is_a_mistake_of_ours(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda package: None)

    with pytest.raises(KeyError):
        extras.require("left-pad", "figures")
    with pytest.raises(MissingExtra):
        extras.require("sqlalchemy", "stores")


@pytest.fixture
def declared():
    return tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]


def test_the_extras_declare_the_packages_that_are_asked_for(declared):
    del declared["all"]
    names = {
        name: {
            row.split(">")[0].removesuffix("-python").removeprefix("python-").removeprefix("py").replace("-", "_")
            for row in declared[name]
        }
        for name in declared
    }

    asked = {extra: {name for name, of in extras.PACKAGES.items() if of == extra} for extra in declared}
    # a package of two extras is named with the one that most installations have
    assert all(asked[extra] <= names[extra] for extra in declared)
    assert set().union(*names.values()) == extras.PACKAGES.keys()


def test_the_extra_all_brings_every_other_one_with_a_permissive_licence(declared):
    others = [name for name in declared if name not in ("all", "can")]  # python-can, which cantools needs, is LGPL
    assert declared["all"] == [f"sojourn[{','.join(others)}]"]


def test_the_extra_of_reports_brings_neither_data_frames_nor_numbers_nor_a_browser(declared):
    assert declared["report"] == ["jinja2>=3.1"]
