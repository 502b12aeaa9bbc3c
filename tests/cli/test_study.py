"""`sojourn study`: what is computed, and what is kept for the next call."""

from pathlib import Path

SHORT = ("study", "lontalk-response-time", "--experiment", "E", "--quick", "--set", "run.duration=2 s", "--no-store")


def test_a_study_whose_results_are_kept_after_it_was_shown_computes_nothing_again(sojourn, environment):
    def entries():
        folder = Path(environment["XDG_CACHE_HOME"], "sojourn", "replications")
        return {path for path in folder.rglob("*") if path.is_file()}

    shown = sojourn(*SHORT)
    before = entries()
    kept = sojourn(*SHORT, "--out", "kept")

    assert (shown.returncode, kept.returncode) == (0, 0), kept.stderr
    assert len(before) == 20, "ten loads, each replicated twice"
    assert entries() == before
