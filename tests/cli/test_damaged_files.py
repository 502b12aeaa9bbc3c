"""Files of results and settings that are damaged: errors name the file."""

import pytest

from sojourn import cli

pytestmark = pytest.mark.hostile("damaged files of results and settings")


def test_a_file_that_ends_early_is_not_an_interruption():
    import typer  # noqa: PLC0415

    app = typer.Typer()

    @app.command()
    def ends() -> None:
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")

    with pytest.raises(EOFError, match="Compressed file"):
        cli.exit_code(app, [])


def test_a_file_of_results_that_is_not_utf_8_is_named(sojourn, tmp_path):
    assert sojourn("new", "queue", "-o", tmp_path / "site.toml").returncode == 0
    sojourn("run", tmp_path / "site.toml", "--set", "run.duration=20 s", "--out", tmp_path / "o", "--no-store")
    for name in ("verdicts.json", "provenance.json", "scenario.toml", "results.json"):
        file = tmp_path / "o" / name
        octets = file.read_bytes()
        file.write_bytes(b"#\xff" + octets)
        done = sojourn("report", tmp_path / "o")
        assert done.returncode == 2 and f"{file} is not UTF-8" in done.stderr
        file.write_bytes(octets)


def test_a_configuration_that_is_not_utf_8_is_named(sojourn, tmp_path):
    file = tmp_path / "home/.config/sojourn/config.toml"
    file.parent.mkdir(parents=True)
    file.write_bytes(b'store = "\xff"\n')

    done = sojourn("history")

    assert done.returncode == 2 and f"{file} is not UTF-8" in done.stderr
