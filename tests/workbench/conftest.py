"""A workbench in this process, its visitors by role, and forms as pages send them."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.testclient import TestClient

from sojourn import web
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


class Served:
    """A server and its links."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process, self.folder = process, folder
        assert process.stdout is not None
        self.run, self.view = (process.stdout.readline().split()[-1] for _ in range(2))
        parts = urlsplit(self.run)
        self.origin, self.address = f"{parts.scheme}://{parts.netloc}", (str(parts.hostname), int(parts.port or 0))


def serving(start: Callable[..., subprocess.Popen[str]], folder: Path, *options: object) -> Served:
    folder.mkdir(exist_ok=True)
    (folder / "site.toml").write_text(QUEUE)
    return Served(start("serve", folder, "--port", "0", *options), folder)


@pytest.fixture(scope="module")
def served(start_for_all, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server that several tests visit."""
    return serving(start_for_all, tmp_path_factory.mktemp("lab"))


@pytest.fixture
def own(start, tmp_path: Path) -> Served:
    """A server of one test."""
    return serving(start, tmp_path / "lab")


def write(page: Any, text: str) -> None:
    """Replaces the text of a scenario's page as one who types, in the editor or in the plain field."""
    if web.editor() is None:
        page.get_by_label("Text", exact=True).fill(text)
        return
    page.wait_for_selector("#editor[data-ready]")
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")  # a browser that replaces marked text itself tries to keep its style
    page.keyboard.insert_text(text)
