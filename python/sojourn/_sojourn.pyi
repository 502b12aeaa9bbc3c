"""The extension module, typed. A test compares this stub with the module."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TypedDict, final

class UserError(Exception):
    """A mistake of the user's: args are a JSON list of the first problems, the text for a terminal, and the number."""

class WrongBuild(Exception):  # noqa: N818 - the name states the error
    """A batch of a cluster is for another build; args[0] is the identity of that build."""

class SampleColumns(TypedDict):
    """Samples in order of replication, then of recording; values in seconds."""

    replication: list[int]
    value: list[float]

class TraceColumns(TypedDict):
    """A level or sample over time."""

    replication: list[int]
    time_s: list[float]
    value: list[float]

class HistogramColumns(TypedDict):
    """Samples of all replications in bins, without empty ones."""

    from_s: list[float]
    to_s: list[float]
    count: list[int]

@final
class Job:
    """A running or finished job. Dropping it stops it."""

    def progress(self) -> str:
        """Its progress, as JSON."""

    def cancel(self) -> None:
        """Requests it to stop."""

    def take(self, seconds: float, threads: int) -> tuple[int, str] | None:
        """Of a job on a cluster: number and text of a batch of about `seconds` of computing; None without one."""

    def has_suspects(self) -> bool:
        """Whether replications wait that may end the worker which computes them."""

    def take_suspect(self) -> tuple[int, str] | None:
        """Number and text of a batch of one suspect, for a worker that computes nothing else meanwhile."""

    def deliver(self, number: int, answers: bytes) -> bool:
        """Takes the answers to a batch, of which what was answered before is dropped; False for no answers to it."""

    def offer_again(self, number: int) -> None:
        """Offers what is not answered of a batch once more."""

    def suspect(self, number: int, why: str) -> None:
        """Makes each replication of a batch, whose worker ended, a suspect; gives up one that was alone too often."""

    def reports(self, start: int) -> str:
        """The reports of a live job from number `start`, as a JSON list."""

    def outcome(self) -> str | None:
        """Its outcome, as JSON; None while it runs."""

    def samples(self, point: int, metric: str) -> SampleColumns | None:
        """Samples of a metric in one point; None if not all were stored."""

    def trace(self, point: int, metric: str) -> TraceColumns:
        """Traces of a metric in one point."""

    def histogram(self, point: int, metric: str) -> HistogramColumns:
        """The histogram of a metric in one point."""

@final
class Computation:
    """A batch being computed on a worker. Dropping it cancels it."""

    def __new__(cls, batch: str) -> Computation:
        """Starts on a batch; `WrongBuild` if it is for another build."""

    def wait(self, seconds: float) -> bool:
        """Waits at most so long; whether it has ended."""

    def cancel(self) -> None:
        """Cancels it."""

    def answers(self) -> bytes | None:
        """The answers, once it has ended; None where it was cancelled."""

def identity() -> str:
    """Fingerprint of all that can change a result: sources, locked libraries, compiler."""

def version() -> str:
    """Version and the commit the build was made from, as `0.1.0 (abc1234-dirty)`."""

def networks() -> str:
    """Every network model, as a JSON list."""

def transports() -> str:
    """Every transport to a real network, as a JSON list."""

def metrics() -> str:
    """Every metric, as a JSON list."""

def figure_kinds() -> str:
    """Every kind of figure and its options, as JSON."""

def answer_kinds() -> str:
    """Every kind of answer and its options, as JSON."""

def key_label(kind: str, path: str) -> str | None:
    """Label and units of the key that `path` names in scenarios of a kind, as JSON; None where there is no such key."""

def schema(kind: str | None = None) -> str:
    """The JSON schema of scenarios: of one network, or of all."""

def new(kind: str) -> str:
    """A commented scenario of a network, as TOML, that runs."""

def check(path: str | PathLike[str], sets: Sequence[str] = (), expand: bool = False) -> str:
    """Checks a scenario; gives its full form as TOML if asked to."""

def document(path: str, sets: list[str] = ...) -> str:
    """A scenario and the files that it names, as JSON: what a report needs to simulate it again."""

def links(path: str | PathLike[str], sets: Sequence[str] = ...) -> str:
    """The links of a scenario of kind `ip`, as JSON: what each direction does to packets."""

def warnings(path: str | PathLike[str], sets: Sequence[str] = ...) -> list[str]:
    """The rules of the trade that a valid scenario breaks, a line each."""

def parameter(path: str | PathLike[str], sets: Sequence[str], key: str) -> str:
    """The number that a key names in a scenario, as JSON: its unit, its range and what it is now."""

def study(path: str | PathLike[str]) -> str:
    """A study as its `study.toml` says, as JSON."""

def start(request: str) -> Job:
    """Starts a job from its request in JSON."""

def library(kind: str) -> Path:
    """The folder of `studies`, `reference`, `profiles`, `examples` or `installations`."""

def cache_folder() -> Path | None:
    """The folder of the user's cache; None where the environment names none."""

def cache_limit(folder: str | PathLike[str]) -> int | None:
    """The size that a cache is limited to, in bytes; None where it is not."""

def limit_cache(folder: str | PathLike[str], bytes: int | None) -> tuple[int, int]:
    """Limits a cache to this many bytes, or to none; returns how many entries were evicted, and their bytes."""

def merge_caches(sources: Sequence[str | PathLike[str]], into: str | PathLike[str]) -> tuple[int, int, int]:
    """Copies the entries of some caches to another; returns how many were added, there already, and damaged."""

def set_root(path: str | PathLike[str]) -> None:
    """Says where those folders lie; the first call counts."""

def shown(text: str) -> str:
    """A text with URLs, without their passwords and without the secrets of their queries."""

def shown_document(text: str) -> str:
    """A document or a command line, without the values of settings that are secrets either."""

def shown_value(key: str, value: str) -> str:
    """The value of a key, without what of it is a secret."""

def set_rendering(colour: bool, width: int) -> None:
    """How the text of a `UserError` is rendered."""

def standard_normals(seed: int, name: str, count: int) -> list[float]:
    """Draws of the normal distribution with mean 0 and standard deviation 1, from the random stream of this name."""

def student_quantile(p: float, degrees_of_freedom: int) -> float:
    """The `p` quantile of Student's t."""

def shown_scale(unit: str, largest: float, metric: str) -> tuple[float, str]:
    """Size in SI and name of the unit that suits a value of a metric."""

def ladder(unit: str) -> list[tuple[float, str]] | None:
    """The multiples of a unit that takes prefixes, as (size, name), the largest first; None of one that does not."""

def meant(word: str, known: list[str]) -> str | None:
    """The name that a word of another tool stands for."""

def nearest(word: str, known: list[str]) -> str | None:
    """The name that a word stands for, else the nearest."""

def format_value(value: float | None, unit: str, metric: str, beside: float, digits: int) -> str:
    """A value with its unit; zero takes the unit of `beside`."""

def format_interval(value: float | None, interval: tuple[float, float | None] | None, unit: str, metric: str) -> str:
    """A value with its interval."""

def format_ends(value: float, ends: tuple[float, float], unit: str, metric: str, like: float) -> str:
    """A value with both ends of its interval, in the unit that suits `like`, if that is not zero."""

def format_span(value: float, interval: tuple[float, float | None], unit: str) -> str:
    """An interval in the unit of its value, without it."""

def significant(value: float, digits: int) -> str:
    """A number in some significant digits; integers stay whole."""

def rounded(value: float, digits: int) -> str:
    """An estimate in some significant digits, whole numbers too."""

def apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers in as many digits as it takes to see which is more."""

def percent(share: float, decimals: int, signed: bool) -> str:
    """A share in percent."""

def percent_lost(share: float, decimals: int) -> str:
    """A share of losses in percent, neither none nor all rounded to either."""

def format_size(bytes: float) -> str:
    """A number of bytes."""

def format_duration(seconds: float) -> str:
    """About how long something takes, in two digits."""
