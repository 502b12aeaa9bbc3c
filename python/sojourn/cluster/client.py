"""The client of Dask that takes nothing but data from a cluster."""

from __future__ import annotations

from typing import Any, ClassVar

from distributed import Client
from distributed.client import CancelledError

from sojourn.cluster import inert
from sojourn.cluster.inert import Inert


class DataClient(Client):  # type: ignore[misc]  # its annotations are skipped
    """Reads answers and errors as data; it has to be used within `inert.reading`."""

    # what workers print and warn of is neither printed here nor unpickled
    _default_event_handlers: ClassVar[dict[str, Any]] = {}

    async def _gather(self, futures: Any, *arguments: Any, **options: Any) -> Any:
        """The answers; an `Inert` for each where they do not read."""
        try:
            return await super()._gather(futures, *arguments, **options)
        except (OSError, CancelledError):
            raise
        except Exception as error:
            return [Inert(f"it does not read: {type(error).__name__}") for _ in futures]

    def _handle_task_erred(self, key: Any = None, exception: Any = None, traceback: Any = None) -> None:
        """Notes the error of a batch, without the place in the code where a worker raised it."""
        fault = inert.loads(exception) if isinstance(exception, bytes | bytearray) else exception
        super()._handle_task_erred(key, fault if isinstance(fault, Exception) else Inert(str(type(fault))))
