"""What a shell completes after the words typed so far."""

import pytest


@pytest.fixture
def completed(sojourn, environment):
    """The words that bash would offer for a command line, its last word incomplete."""

    def complete(*words: str) -> list[str]:
        asked = {"_SOJOURN_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
        return sojourn(env=environment | asked).stdout.split()

    return complete


def test_networks_and_studies_are_offered(completed):
    assert completed("sojourn", "schema", "q") == ["queue"]
    assert completed("sojourn", "new", "queu") == ["queue"]
    assert completed("sojourn", "study", "voice") == ["voice-over-fddi"]


def test_the_experiments_of_the_study_are_offered(completed):
    assert completed("sojourn", "study", "lontalk-response-time", "--experiment", "D-") == ["D-auth"]


def test_the_keys_of_the_scenario_are_offered_for_set(completed, sojourn):
    sojourn("new", "queue", "-o", "queue.toml")
    assert completed("sojourn", "run", "queue.toml", "--set", "run.dur") == ["run.duration="]
    assert "station.server.servers=" in completed("sojourn", "run", "queue.toml", "--set", "station.server.ser")
    assert completed("sojourn", "run", "missing.toml", "--set", "run.") == []


def test_installations_their_fields_and_examples_are_offered_for_new(completed):
    assert completed("sojourn", "new", "off") == ["office"]
    assert "phones=" in completed("sojourn", "new", "office", "")
    assert completed("sojourn", "new", "office", "queue=fq") == ["queue=fq-codel"]
    # bash splits words at colons
    assert completed("sojourn", "new", "example:outa") in (["outage"], ["example:outage"])
