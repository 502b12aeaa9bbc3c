"""What a scheduler and workers send is read as data: nothing that it names is imported or called here.

Dask sends answers and errors pickled, and unpickling runs what the sender wrote. While this host waits for a
cluster, Dask reads through `loads` instead: bytes and errors of Python are themselves, everything else is an `Inert`
that stands for it.
"""

from __future__ import annotations

import builtins
import io
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

_reads_data: ContextVar[bool] = ContextVar("sojourn_reads_data", default=False)
"""Of the tasks of our client, also where Dask moves them to another thread: a client of the user's reads as ever."""
PLAIN = ("bytes", "bytearray", "memoryview")


class Inert(Exception):  # noqa: N818 - Dask expects an error where a batch failed, and this may stand for one
    """Stands for an object whose class is not known here; it takes everything and does nothing."""

    def __init__(self, *arguments: object, **_: object) -> None:
        """Keeps what may be read as text."""
        super().__init__(*(one for one in arguments if isinstance(one, str | int | float)))
        self.address = ""

    def __setstate__(self, state: object) -> None:
        """Drops the state, but for the address of a worker that ended."""
        members = state[1] if isinstance(state, tuple) and len(state) == 2 else state
        if isinstance(members, dict) and isinstance(members.get("address"), str):
            self.address = members["address"]

    def __setitem__(self, *_: object) -> None:
        """Drops a member."""

    def _drop(self, *_: object) -> None:
        """Drops members."""

    append = extend = add = update = _drop


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """The class of a name: one of those that are known to do nothing but hold what they are given, or `Inert`."""
        if module == "builtins" and (name in PLAIN or _is_error(name)):
            return getattr(builtins, name)
        return _known().get((module, name), Inert)

    def persistent_load(self, _: object) -> Inert:
        """Nothing is looked up."""
        return Inert()


def loads(octets: Any, *, buffers: Sequence[Any] = ()) -> Any:
    """What was pickled, without anything in it being run; `Inert` for octets that do not read."""
    try:
        return _Reader(io.BytesIO(octets), buffers=buffers).load()
    except Exception as error:
        return Inert(f"it does not read: {type(error).__name__}")


@contextmanager
def reading() -> Iterator[None]:
    """What Dask reads for the caller of this context is data."""
    _guard()
    token = _reads_data.set(True)
    try:
        yield
    finally:
        _reads_data.reset(token)


@cache
def _guard() -> None:
    """Puts `loads` in place of Dask's own for those who read data."""
    from distributed.protocol import pickle as theirs  # noqa: PLC0415

    whole: Callable[..., Any] = theirs.loads

    def guarded(octets: Any, *, buffers: Sequence[Any] = ()) -> Any:
        return (loads if _reads_data.get() else whole)(octets, buffers=buffers)

    theirs.loads = guarded


@cache
def _known() -> dict[tuple[str, str], Any]:
    from distributed import KilledWorker  # noqa: PLC0415

    from sojourn.cluster.worker import Abandoned, OtherBuild  # noqa: PLC0415

    known: dict[tuple[str, str], Any] = {
        (one.__module__, one.__name__): one for one in (KilledWorker, OtherBuild, Abandoned)
    }
    # an error that was raised is pickled by another package, with where it was raised
    package = "tblib.pickling_support"
    return known | {(package, "unpickle_exception"): _raised, (package, "unpickle_exception_with_attrs"): _raised_with}


def _raised(kind: object, arguments: object, *_: object) -> Exception:
    """An error of a kind that was read before; the others, and what it was raised from, are dropped."""
    arguments = arguments if isinstance(arguments, tuple) else ()
    is_error = isinstance(kind, type) and issubclass(kind, Exception)
    return kind(*arguments) if is_error else Inert(*arguments)  # type: ignore[operator]


def _raised_with(kind: object, members: object, *_: object) -> Exception:
    """The same of one whose arguments are a member."""
    return _raised(kind, members.get("args") if isinstance(members, dict) else ())


def _is_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, Exception)
