# Written by tools/generate_kinds.py (make docs); change the declarations it reads.
"""The keys of scenarios as types, a module for each kind of network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

if TYPE_CHECKING:
    from sojourn.kinds import fddi, fddi_adapter, ip, lontalk, modbus, mstp, packet_radio, queue, switched_lan


class Arguments:
    """What a scenario is made of: a file, or the arguments of its kind of network."""

    @overload
    def __init__(self, path: str | Path, changes: Sequence[str] = (), /) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[fddi.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[fddi_adapter.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[ip.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[lontalk.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[modbus.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[mstp.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[packet_radio.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[queue.Arguments]) -> None: ...

    @overload
    def __init__(self, **arguments: Unpack[switched_lan.Arguments]) -> None: ...

    def __init__(self, *file: Any, **arguments: Any) -> None:
        """A file and changes, or arguments."""
        self._begin(*file, given=arguments)

    def _begin(self, path: str | Path | None = None, changes: Sequence[str] = (), *, given: dict[str, Any]) -> None:
        """The scenario of a file, or of arguments."""
        raise NotImplementedError
