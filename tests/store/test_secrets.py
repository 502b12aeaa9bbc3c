"""Secrets never enter the store; a server is reached over TLS as its URL asks, and nothing shows a password."""

import time

import pytest
from sqlalchemy import select

from sojourn.errors import UserError
from sojourn.secret import HIDDEN, shown, shown_document
from sojourn.store import querying, spool
from sojourn.store.database import StoreError, opened
from sojourn.store.loading import load
from sojourn.store.records import MonitorRecords, build_and_host
from sojourn.store.redaction import cleaned
from sojourn.store.schema import metadata
from sojourn.store.settings import Place

SECRET = "hunter2-XYZ"


@pytest.mark.parametrize(
    "text",
    [
        f"https://lab:{SECRET}@example.org/",
        f"postgresql://lab:{SECRET}@db/sojourn?sslmode=require",
        f"see https://lab:p@ss/{SECRET}@example.org/x?y=1",
        f"https://example.org/?api_key={SECRET}&x=1",
        f"https://example.org/?access_token={SECRET}",
    ],
)
def test_a_url_is_shown_without_its_secrets(text):
    assert SECRET not in shown(text)
    assert "example.org" in shown(text) or "@db/sojourn" in shown(text)


@pytest.mark.parametrize(
    "line",
    [
        f'password = "{SECRET}"',
        f"# authentication_key = '{SECRET}'",
        f'peer = "https://lab:{SECRET}@example.org/"',
        f'headers = {{ Authorization = "{SECRET}", accept = "x" }}',
        f'secret="{SECRET}"',
        f'"key" = "{SECRET}"',
        f'header = ["Accept: a/b", "Authorization: Bearer {SECRET}", "X-Own: {SECRET}"]',
        f'body = """\n{SECRET}\n{SECRET}"""',
    ],
)
def test_a_document_is_recorded_without_its_secrets(line):
    document = f'[measure]\n{line}\nkey_file = "/etc/sojourn.key"\n[station]\npackets_per_token = 3\n'

    kept = shown_document(document)

    assert SECRET not in kept
    assert 'key_file = "/etc/sojourn.key"' in kept and "packets_per_token = 3" in kept


def test_members_named_after_a_secret_have_no_value_and_keys_of_scenarios_keep_theirs():
    assert cleaned({"auth_key": SECRET, "key": "background.rate", "axes": [{"key": "run.seed"}]}) == {
        "auth_key": HIDDEN, "key": "background.rate", "axes": [{"key": "run.seed"}]}  # fmt: skip


def test_no_table_of_the_store_holds_a_secret_of_a_monitor(place, tmp_path, monitor_lines):
    document = tmp_path / "monitor.toml"
    document.write_text(f'[network]\nkind = "ip"\n# password = {SECRET}\n')
    request = {"file": document, "urls": [f"https://u:{SECRET}@h/"], "set": [f"target.peer=https://u:{SECRET}@h/"]}
    records = MonitorRecords(request, build_and_host())
    head, *lines = monitor_lines(1)
    head["targets"] = [["target-0", f"https://u:{SECRET}@h/"]]
    spool.append(place.spool, [record for line in [head, *lines] for record in records.of_line(line)])

    assert SECRET not in (place.spool / spool.OPEN).read_text()
    load(place)

    with opened(place) as engine, engine.connect() as connection:
        for table in metadata.sorted_tables:
            assert SECRET not in str(connection.execute(select(table)).all()), table.name


def test_a_store_that_does_not_answer_is_named_without_its_password(tmp_path):
    place = Place(f"postgresql://lab:{SECRET}@127.0.0.1:1/sojourn", tmp_path)

    with pytest.raises(StoreError) as failed, opened(place):
        pass

    assert SECRET not in str(failed.value) and "127.0.0.1" in str(failed.value)


def test_tls_is_used_as_the_url_asks_and_a_server_that_cannot_prove_its_name_is_refused(server, tmp_path):
    url = server.database().partition("?")[0]

    def encrypted(url: str) -> bool:
        query = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        (row,) = querying.answer(Place(url, tmp_path), query)
        return row["ssl"]

    root = f"sslrootcert={server.certificate}"
    assert not encrypted(f"{url}?sslmode=disable")
    assert encrypted(url)
    assert encrypted(f"{url}?sslmode=require")
    assert encrypted(f"{url}?sslmode=verify-full&{root}")
    assert encrypted(f"{url.replace('localhost', '127.0.0.1')}?sslmode=verify-ca&{root}")
    with pytest.raises(StoreError, match="certificate verify failed"):
        encrypted(f"{url}?sslmode=verify-full")
    with pytest.raises(StoreError, match=r"127\.0\.0\.1"):
        encrypted(f"{url.replace('localhost', '127.0.0.1')}?sslmode=verify-full&{root}")
    with pytest.raises(UserError, match="sslmode is"):
        encrypted(f"{url}?sslmode=on")


@pytest.mark.parametrize("query", ["DELETE FROM runs", "DROP TABLE runs", "CREATE TABLE x (y int)"])
def test_a_query_of_a_user_changes_nothing(place, run_record, query):
    spool.append(place.spool, [run_record()])
    load(place)

    with pytest.raises(StoreError, match=r"read-?only"):
        querying.answer(place, query)
    with pytest.raises(UserError, match="one statement"):
        querying.answer(place, f"COMMIT; {query}")

    assert querying.answer(place, "SELECT count(*) AS runs FROM runs WHERE name LIKE 's%'") == [{"runs": 1}]


@pytest.mark.parametrize(
    "part", ["a", "a://", "a://b:", "a://b:1", "@", "a@", "?key=", "key ", 'key="', "api-", "://", "password", "-", "1"]
)
def test_the_time_to_hide_secrets_grows_with_the_text_and_not_with_its_square(part):
    def took(octets: int) -> float:
        text = part * (octets // len(part))
        began = time.process_time()
        shown_document(text)
        shown_document(f"{text}@")
        return time.process_time() - began

    # a quarter of a megabyte takes a tenth of a second; where the time grew with the square, it took minutes
    assert took(1 << 18) < max(5.0, 40 * took(1 << 15))


@pytest.mark.parametrize("before", ["", "-", "8080", "a+"])
def test_a_password_is_hidden_whatever_stands_before_the_scheme(before):
    assert shown(f"{before}http://me:{SECRET}@h/x:y@z") == f"{before}http://me@z"
    assert shown(f"{before}http://me@h:8080/x") == f"{before}http://me@h:8080/x"
