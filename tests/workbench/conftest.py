"""A workbench in this process, its visitors by role, and forms as pages send them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from sojourn.workbench.access import Tokens
from sojourn.workbench.app import application
from sojourn.workbench.settings import Settings

from ..scenarios import QUEUE

ORIGIN = "http://127.0.0.1:18622"
LINKS = {"run": "r" * 43, "view": "v" * 43}
TOKENS = Tokens.pair(**LINKS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one scenario, and a file outside of it."""
    place = tmp_path / "lab"
    place.mkdir()
    (place / "site.toml").write_text(QUEUE)
    (tmp_path / "outside.toml").write_text('title = "outside"\n')
    (tmp_path / "outside.csv").write_text("name\nsecret\n")
    return place


Visit = Callable[..., TestClient]


@pytest.fixture
def workbench(folder: Path) -> Iterator[Visit]:
    """A visitor of the workbench with a role, or with none."""
    settings = Settings(folder=folder, tokens=TOKENS)
    with TestClient(application(settings), base_url=ORIGIN, follow_redirects=False) as first:

        def visit(role: str | None = "run", **headers: str) -> TestClient:
            # of one application, whose jobs live in the first one's event loop
            client = TestClient(
                first.app, base_url=ORIGIN, headers={"origin": ORIGIN} | headers, follow_redirects=False
            )
            client.portal = first.portal
            if role is not None:
                assert client.get("/enter", params={"token": LINKS[role]}).status_code == 200
            return client

        yield visit


@pytest.fixture
def saved(workbench: Visit, folder: Path) -> Callable[..., Any]:
    """Saves a text over site.toml as a page does."""

    def save(text: str, client: TestClient | None = None, **fields: str) -> Any:
        from sojourn.workbench.scenarios import version_of  # noqa: PLC0415

        version = version_of((folder / "site.toml").read_bytes())
        form = {"text": text, "version": version} | fields
        return (client or workbench()).post("/scenarios/site.toml", data=form)

    return save
