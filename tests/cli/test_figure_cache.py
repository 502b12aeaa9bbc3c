"""The figure script in the cache: one that is damaged is made again, and errors of files name the file."""

import gzip
import os

import pytest

from sojourn import cli, framing
from sojourn.report import vega

pytestmark = pytest.mark.hostile("damaged files of the cache")


def bit_flipped(octets: bytes) -> bytes:
    return octets[:5000] + bytes([octets[5000] ^ 4]) + octets[5001:]


DAMAGES = {
    "truncated": lambda octets: octets[: len(octets) // 2],
    "empty": lambda _: b"",
    "one bit": bit_flipped,
    "another script": lambda _: gzip.compress(b"alert(1);"),
}


@pytest.fixture
def script(monkeypatch, tmp_path) -> bytes:
    """The script as the bundler makes it, which takes seconds; tests make a short one in its place."""
    import vl_convert  # noqa: PLC0415

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda _: "window.vegaEmbed = 1;" + os.urandom(9000).hex())
    return vega.compressed()


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_script_is_made_again_and_then_kept(script, damage):
    assert vega.compressed() == script
    vega.kept_at().write_bytes(DAMAGES[damage](script))

    again = vega.compressed()

    assert b"window.vegaEmbed" in gzip.decompress(again)
    assert vega.compressed() == again == vega.kept_at().read_bytes()


def test_a_script_of_an_earlier_version_has_no_digest_and_is_made_again(script):
    framing.digest_file(vega.kept_at()).unlink()

    again = vega.compressed()

    assert again != script and vega.compressed() == again


def test_a_run_with_a_damaged_script_in_the_cache_writes_its_report(sojourn, environment, tmp_path):
    assert sojourn("new", "queue", "-o", tmp_path / "site.toml").returncode == 0
    (kept,) = (tmp_path / "home/cache/sojourn").glob("vega-*.js.gz")
    octets = kept.read_bytes()
    kept.unlink()
    kept.write_bytes(DAMAGES["one bit"](octets))

    done = sojourn("run", tmp_path / "site.toml", "--set", "run.duration=20 s", "--out", tmp_path / "o", "--no-store")

    assert done.returncode == 0, done.stderr
    assert len((tmp_path / "o/report.html").read_bytes()) > 1_000_000
    assert gzip.decompress(kept.read_bytes()) == gzip.decompress(octets)


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
