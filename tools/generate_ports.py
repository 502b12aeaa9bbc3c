#!/usr/bin/env python3
"""Writes crates/capture/src/ip/registered_ports.rs from IANA's registry of services.

    tools/generate_ports.py service-names-port-numbers.csv

The table is at https://www.iana.org/assignments/service-names-port-numbers; its date is that of its latest change.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

WRITTEN = Path(__file__).resolve().parents[1] / "crates/capture/src/ip/registered_ports.rs"
# from here on ports are dynamic (RFC 6335, 6)
FIRST_DYNAMIC = 49_152
# those of clients of BOOTP and DHCPv6, which ask
OF_CLIENTS = {68, 546}
WIDTH = 120

HEAD = """\
//! Ports that IANA has registered for a service, as ranges. Written by tools/generate_ports.py.
//!
//! Source: IANA, Service Name and Transport Protocol Port Number Registry (RFC 6335), as of {date}.

/// Whether a service is registered at this port of TCP.
pub fn is_of_tcp(port: u16) -> bool {{
    is_within(&TCP, port)
}}

/// Whether a service is registered at this port of UDP.
pub fn is_of_udp(port: u16) -> bool {{
    is_within(&UDP, port)
}}

fn is_within(ranges: &[(u16, u16)], port: u16) -> bool {{
    let after = ranges.partition_point(|(first, _)| *first <= port);
    after > 0 && port <= ranges[after - 1].1
}}
"""

TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_ascend_and_do_not_touch() {
        for ranges in [&TCP[..], &UDP[..]] {
            assert!(ranges.iter().all(|(first, last)| first <= last));
            assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        }
    }

    #[test]
    fn ports_of_services_are_registered_and_others_are_not() {
        // mbap, bacnet, nfs; 4 is unassigned, 68 that of clients of BOOTP
        assert!(is_of_tcp(502) && is_of_udp(47_808) && is_of_tcp(2049) && is_of_udp(2049));
        assert!(!is_of_tcp(4) && !is_of_udp(68) && !is_of_tcp(0) && !is_of_tcp(u16::MAX));
    }
}
"""


def main() -> None:
    """Writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("registry", type=Path, help="the registry as CSV")
    with parser.parse_args().registry.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    dates = " ".join(row["Modification Date"] + " " + row["Registration Date"] for row in rows)
    date = max(re.findall(r"\d{4}-\d\d-\d\d", dates))
    tables = "".join(table(name, ports(rows, name.lower())) for name in ("TCP", "UDP"))
    WRITTEN.write_text(HEAD.format(date=date) + tables + TESTS, encoding="utf-8")


def ports(rows: list[dict[str, str]], protocol: str) -> set[int]:
    """Those with the name of a service; reserved and unassigned ones have none."""
    found: set[int] = set()
    for row in rows:
        if row["Service Name"] and row["Port Number"] and row["Transport Protocol"] == protocol:
            first, _, last = row["Port Number"].partition("-")
            found.update(range(int(first), int(last or first) + 1))
    return {port for port in found if 0 < port < FIRST_DYNAMIC} - OF_CLIENTS


def ranges(found: set[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of ports."""
    begins = sorted(port for port in found if port - 1 not in found)
    ends = sorted(port for port in found if port + 1 not in found)
    yield from zip(begins, ends, strict=True)


def table(name: str, found: set[int]) -> str:
    """The ranges as a constant."""
    entries = list(ranges(found))
    assert all(last < first for (_, last), (first, _) in pairwise(entries))
    comment = "\n/// First and last port of each range, ascending.\n#[rustfmt::skip]\n"
    head = f"{comment}const {name}: [(u16, u16); {len(entries)}] = [\n"
    return head + "".join(lines(f"({first}, {last})," for first, last in entries)) + "];\n"


def lines(words: Iterable[str]) -> Iterator[str]:
    """Words in lines of the usual width."""
    line = "   "
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            yield line + "\n"
            line = "   "
        line += f" {word}"
    yield line + "\n"


if __name__ == "__main__":
    main()
