"""Shared by all end-to-end tests: the tool as a user runs it, and peers that may be missing."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from sojourn import web

from .fork_server import ForkServer

# an example takes as long as the machine's other work lets it
settings.register_profile("any time", deadline=None)
settings.load_profile("any time")

ROOT = Path(__file__).resolve().parents[1]
PLAYGROUND = ROOT / "target" / "playground" / "index.html"
TOOL = Path(sys.prefix) / "bin" / "sojourn"
# Root bypasses file permissions; they are tested without capabilities.
WITHOUT_CAPABILITIES = ("setpriv", "--bounding-set", "-all") if os.geteuid() == 0 else ()
# Shells start background jobs with SIGINT ignored, and children inherit that.
DEFAULT_SIGNALS = ("env", "--default-signal=INT,HUP")
MISSING_PEER = "missing peer"
ATTACK = "attack"
# What shares a study that is run once for all of it, the ports of peers, or a server: files, or whole folders.
SHARED_PROCESS = dict.fromkeys(("contract", "report/test_browser.py", "report/test_live.py", "tools"), "studies")
STUDIES = ("fddi_adapter", "packet_radio_networks", "voice_over_fddi")
SHARED_PROCESS |= dict.fromkeys((f"studies/test_{name}.py" for name in STUDIES), "studies")
SHARED_PROCESS |= {"peers": "peers", "store": "store"}
# Folders whose tests share nothing: any process may run any of them.
INDEPENDENT = ("cli", "docs", "examples", "live")
# Folders whose tests wait longest, for packets and timers: they begin first.
FIRST = ("peers", "studies", "store", "contract", "docs", "live", "testbed", "cli")
# Folders whose tests measure time: the others leave them the processor.
TIMED = ("live", "peers", "testbed", "docs")

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

# Generous timeout for every wait: only a failing test reaches it.
TIMEOUT_S = 120

Run = Callable[..., subprocess.CompletedProcess[str]]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "peer(command, package): needs a program of a Debian package")
    config.addinivalue_line("markers", "hostile(attack): an attack or a fault that nothing may be lost or leaked by")
    config.addinivalue_line("markers", "engine: needs the simulation for pages, which `make wasm` builds")
    config.addinivalue_line("markers", "editor: needs the editor of the workbench, which `make editor` bundles")
    config.addinivalue_line("markers", "playground: needs the page that `make playground` builds")
    config.option.loadscopereorder = False  # the order is that of FIRST
    config.addinivalue_line(
        "markers", "network_namespaces: needs the privilege to create network namespaces, which root has"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the tests that wait longest first, so that the others fill the time."""

    def rank(item: pytest.Item) -> tuple[int, bool]:
        folder = item.path.relative_to(ROOT).parts[1]
        return (FIRST.index(folder) if folder in FIRST else len(FIRST), not _runs_a_server(item.nodeid))

    items.sort(key=rank)


# a scheduler of our own, because the groups of pytest-xdist 3.8 do not work with pytest 9.2
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling:
    return ParallelGroups(config, log)


class ParallelGroups(LoadScopeScheduling):
    """Distributes the tests over processes: those that share something run sequentially in one."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if _runs_a_server(nodeid):
            return "ports of documentation pages"
        path = Path(file).relative_to("tests") if file.startswith("tests/") else Path(file)
        folder = path.parts[0]
        shared = SHARED_PROCESS.get(folder) or SHARED_PROCESS.get(path.as_posix())
        return nodeid if folder in INDEPENDENT else shared or file


def _runs_a_server(nodeid: str) -> bool:
    """Whether a test executes a documentation page that starts an agent, a reflector or a network emulator."""
    page = ROOT / "docs" / f"{nodeid.rpartition('[')[2].removesuffix(']')}.md"
    commands = ("$ sojourn agent", "$ sojourn listen", "$ sojourn relay")
    return nodeid.startswith("tests/docs/") and page.exists() and any(c in page.read_text() for c in commands)


@pytest.fixture(scope="session")
def built_examples() -> Path:
    """The folder of the examples of all crates, which `make test` has compiled before.

    All crates are asked for together: for one of them alone cargo chooses other features of third-party crates, and
    compiles everything once more.
    """
    command = ["cargo", "test", "--workspace", "--locked", "--offline", "--quiet", "--no-run"]
    subprocess.run(command, cwd=ROOT, capture_output=True, timeout=1800, check=True)
    return ROOT / "target" / "debug" / "examples"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose peer is missing; with SOJOURN_REQUIRE_PEERS=1 the missing peer is a failure."""
    _prioritise(item)
    item.user_properties.extend((ATTACK, marker.args[0]) for marker in item.iter_markers("hostile"))
    for marker in item.iter_markers("peer"):
        command, package = marker.args[0], marker.kwargs["package"]
        if not shutil.which(command):
            _skip_or_fail(item, command, f"apt install {package}")
    if item.get_closest_marker("engine") and web.engine() is None:
        _skip_or_fail(item, "the simulation for pages", "make wasm")
    if item.get_closest_marker("editor") and web.editor() is None:
        _skip_or_fail(item, "the editor of the workbench", "make editor")
    if item.get_closest_marker("playground") and not PLAYGROUND.exists():
        _skip_or_fail(item, "the playground", "make playground")
    if item.get_closest_marker("network_namespaces") and not _may_make_namespaces():
        _skip_or_fail(item, "network namespaces", "run the tests as root")


def _prioritise(item: pytest.Item) -> None:
    """Sets the niceness of this process and those it starts, so that a measurement does not wait for the computations
    of other tests. Root alone may lower it again."""
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, 0 if item.path.relative_to(ROOT).parts[1] in TIMED else 5)


def _skip_or_fail(item: pytest.Item, peer: str, remedy: str) -> None:
    item.user_properties.append((MISSING_PEER, (peer, remedy)))
    message = f"{peer} missing: {remedy}"
    if os.environ.get("SOJOURN_REQUIRE_PEERS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def _may_make_namespaces() -> bool:
    try:
        return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    _summarise_missing_peers(terminalreporter)
    if "hostile" in terminalreporter.config.option.markexpr:
        _summarise_attacks(terminalreporter)


def _summarise_attacks(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each kind of attack, with how many of its trials did no harm."""
    trials = [
        (value, outcome)
        for outcome in ("passed", "failed", "error", "skipped")
        for report in terminalreporter.getreports(outcome)
        for name, value in report.user_properties
        if name == ATTACK and (report.when == "call" or outcome != "passed")
    ]
    terminalreporter.section("attacks and faults")
    for attack in sorted({attack for attack, _ in trials}):
        outcomes = [outcome for tried, outcome in trials if tried == attack]
        harmless = outcomes.count("passed")
        others = ", ".join(
            f"{outcomes.count(kind)} {kind}" for kind in ("failed", "error", "skipped") if kind in outcomes
        )
        terminalreporter.write_line(f"{attack:60} {harmless:4} of {len(outcomes)}{': ' if others else ''}{others}")


def _summarise_missing_peers(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for outcome in ("skipped", "error", "failed") for report in terminalreporter.getreports(outcome)]
    # import errors are reports without properties
    properties = [pair for report in reports for pair in getattr(report, "user_properties", [])]
    missing = {tuple(value) for name, value in properties if name == MISSING_PEER}
    if missing:
        terminalreporter.section("missing peers")
        for peer, remedy in sorted(missing):
            terminalreporter.write_line(f"{peer:18} {remedy}")


def environment_of(home: Path) -> dict[str, str]:
    """The environment of a fresh user: empty home and cache, no colour, a terminal of fixed width."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    (home / "cache" / "sojourn").mkdir(parents=True)
    return kept | {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "NO_COLOR": "1", "COLUMNS": "120"}


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What commands record that run in this process goes to a folder of the tests, not to that of the user."""
    os.environ["XDG_DATA_HOME"] = str(tmp_path_factory.mktemp("data"))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return environment_of(tmp_path / "home")


@pytest.fixture(scope="session")
def written_by(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Runs the installed tool with `--out` as a fresh user, and returns the folder it wrote."""

    def run(*arguments: str) -> Path:
        folder = tmp_path_factory.mktemp("written")
        command = [TOOL, *arguments, "--out", folder / "out"]
        done = subprocess.run(
            command, env=environment_of(folder / "home"), capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        return folder / "out"

    return run


@pytest.fixture(scope="session")
def tiny_study(written_by: Callable[..., Path]) -> Path:
    """The folder of the whole LonTalk study, every point of it, at a tiny size."""
    size = ("--set", "run.duration=15 s", "--set", "run.warm_up=1 s", "--replications", "2")
    return written_by("study", "lontalk-response-time", *size)


@pytest.fixture(scope="session")
def voice_study(written_by: Callable[..., Path]) -> Path:
    """The folder of the whole study of voice on FDDI, every point of it, at a tiny size."""
    size = ("--set", "probe.exchanges=20", "--set", "probe.transfer=16 KiB", "--set", "probe.paced=1 s")
    return written_by("study", "voice-over-fddi", *size, "--replications", "1", "--figures", "svg")


@pytest.fixture(scope="session")
def adapter_study(written_by: Callable[..., Path]) -> Path:
    """The folder of the whole study of an FDDI adapter, every point of it, at a tiny size."""
    return written_by("study", "fddi-adapter", "--set", "run.duration=3 ms", "--replications", "1", "--figures", "svg")


@pytest.fixture(scope="session")
def packet_radio_study(written_by: Callable[..., Path]) -> Path:
    """The folder of the whole study of packet-radio networks, every point of it, at a tiny size."""
    return written_by(
        "study", "packet-radio-networks", "--set", "probe.round_trips=3", "--replications", "2", "--figures", "svg"
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright, whose event loop lets no other one run in this thread until the browser ends."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def violations(request: pytest.FixtureRequest) -> Callable[[Any], list[str]]:
    """What of a page that Chromium shows violates WCAG 2.2, levels A and AA, or good practice, as axe-core finds it."""
    if not AXE.exists():
        _skip_or_fail(request.node, "axe-core", "make check-web")
    script = AXE.read_text()

    def find(page: Any) -> list[str]:
        page.evaluate(f"() => {{ {script}\n }}")
        # not its preload: it would request what the policy of a page forbids
        options = {"runOnly": RULES, "resultTypes": ["violations"], "preload": False}
        found = page.evaluate("options => axe.run(document, options)", options)["violations"]
        return [f"{one['id']}: {node['html']} {node['failureSummary']}" for one in found for node in one["nodes"]]

    return find


@pytest.fixture
def until() -> Callable[..., Any]:
    """Polls a condition until it is true, up to the timeout, and returns its value."""

    def look(condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := condition()):
            assert time.monotonic() < deadline, "timed out"
            time.sleep(0.01)
        return found

    return look


@pytest.fixture
def tool() -> Path:
    """The installed tool, for tests that need a shell around it."""
    return TOOL


@pytest.fixture(scope="session")
def fork_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    folder = tmp_path_factory.mktemp("forks")
    server = ForkServer(folder, environment_of(folder / "home"))
    yield server
    server.close()


@pytest.fixture
def sojourn(tmp_path: Path, environment: dict[str, str], fork_server: ForkServer) -> Run:
    """Runs the installed tool in an empty folder and returns its exit status, stdout and stderr.

    A fork of the imported tool stands for a process that starts; what differs for a process is tested with `start`.
    """

    def run(*arguments: str | Path, plain_user: bool = False, **options: object) -> subprocess.CompletedProcess[str]:
        settings = {"cwd": tmp_path, "env": environment, "timeout": 3 * TIMEOUT_S} | options
        words = [str(word) for word in (TOOL, *arguments)]
        if not plain_user and settings.keys() == {"cwd", "env", "timeout"} and fork_server.serves(settings["env"]):
            return fork_server.run(words, **settings)
        settings = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | settings
        return subprocess.run([*(WITHOUT_CAPABILITIES if plain_user else ()), *words], check=False, **settings)

    return run


@pytest.fixture
def start(tmp_path: Path, environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the installed tool without waiting for it, prefixed by the command `within` (such as `ip netns exec`).

    Processes still running at the end of the test are killed.
    """
    yield from _starting(tmp_path, environment)


@pytest.fixture(scope="module")
def start_for_all(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """The same for all tests of a module."""
    folder = tmp_path_factory.mktemp("started")
    yield from _starting(folder, environment_of(folder / "home"))


def _starting(folder: Path, environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def launch(*arguments: str | Path, within: Sequence[str] = ()) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*DEFAULT_SIGNALS, *within, str(TOOL), *map(str, arguments)],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield launch
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a scenario's text to a file and returns its path."""

    def write(text: str, name: str = "scenario.toml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
