"""How many captures have a twin that agrees with them: a table, kind by kind, of the captures in folders.

    tools/twin_scoreboard.py FOLDER... [--fewest 10] [--most 12] [--seconds 60] [--rows FILE.csv]

Each capture is analysed with `--scenario` in a process of its own, and its twin judged by the yardstick of
docs/concepts/twins.md. Captures with the same contents count once. Of a kind the first --most captures with --fewest
answered requests are taken, in the order of the SHA-256 of their contents, which cannot be chosen. A kind is the
service that most answered requests of a capture are of, by its registered port. Captures whose twin has a transfer,
and those of fewer than three requests where a host sent 100 kB and twenty times as much as it got, are of kind "bulk
TCP". Captures with at least five seconds of voice, 250 packets of RTP streams, and fewer answered requests than that
are of kind "calls".
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

NETWORKS = {"lontalk": "LonTalk", "packet-radio": "AX.25"}
SERVICES = {
    "ICMP echo": "pings",
    "TCP 102": "S7",
    "TCP 139": "SMB2",
    "TCP 20000": "DNP3",
    "TCP 2049": "NFS",
    "TCP 44818": "EtherNet/IP",
    "TCP 445": "SMB2",
    "TCP 502": "Modbus",
    "TCP 53": "DNS",
    "TCP 80": "HTTP",
    "TCP 8080": "HTTP",
    "UDP 161": "SNMP",
    "UDP 20000": "DNP3",
    "UDP 2049": "NFS",
    "UDP 47808": "BACnet",
    "UDP 53": "DNS",
}
BULK = "bulk TCP"
CALLS = "calls"
FEWEST_VOICE_PACKETS = 250
KINDS = sorted({*NETWORKS.values(), *SERVICES.values(), BULK, CALLS}, key=str.lower)
BULK_OCTETS = 100_000
FEWEST_REQUESTS = 3
OTHERS = "others"
VERDICTS = {"agrees": "agree", "deviates": "deviate", "not-compared": "not compared", "refused": "refused"}
ONE = """
import json, sys
from pathlib import Path
from sojourn.captures import Analyse, analyse
capture, scenario = Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None
outcome = analyse(Analyse(captures=[capture], scenario=scenario))
tables = outcome.capture or {}
network = outcome.results.raw["network"] if outcome.results else ""
parts = {key: tables.get(key, []) for key in ("flows", "conversations", "streams")}
print(json.dumps({"network": network, "twin": tables.get("twin"), **parts}))
"""


@dataclass(frozen=True)
class Row:
    """A capture and its twin."""

    capture: str
    kind: str
    requests: int
    """Requests that were answered; of calls, the packets of voice."""
    verdict: str
    """A key of `VERDICTS`."""
    p50: float | None = None
    p99: float | None = None
    response_rate: float | None = None
    goodput: float | None = None
    transfer_time: float | None = None
    why: str = ""


def main(arguments: Sequence[str]) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fewest", type=int, default=10, help="answered requests of a capture [10]")
    parser.add_argument("--most", type=int, default=12, help="captures of a kind [12]")
    parser.add_argument("--seconds", type=float, default=60.0, help="longest analysis of a capture [60]")
    parser.add_argument("--rows", type=Path, help="CSV file for a row per capture")
    asked = parser.parse_args(arguments)
    rows = list(judged(captures(asked.folders), asked.fewest, asked.most, asked.seconds))
    if asked.rows is not None:
        with asked.rows.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(asdict(Row("", "", 0, ""))))
            writer.writeheader()
            writer.writerows(asdict(row) for row in rows)
    print(table(rows))
    return 0


def captures(folders: Sequence[Path]) -> list[Path]:
    """All files, those with the same contents once, in the order of their hashes."""
    files: dict[str, Path] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        files.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return [path for _, path in sorted(files.items())]


def judged(paths: Sequence[Path], fewest: int, most: int, seconds: float) -> Iterator[Row]:
    """The captures of the kinds with their verdicts."""
    taken: Counter[str] = Counter()
    for path in paths:
        found = analysed(path, None, seconds)
        kind, requests = kind_of(found)
        if kind == OTHERS or taken[kind] >= most or (requests < fewest and kind != BULK):
            continue
        row = verdict_of(path, kind, requests, seconds)
        if row.kind == OTHERS or taken[row.kind] >= most:
            continue
        taken[row.kind] += 1
        print(f"{row.kind}: {row.verdict} {path.name}", file=sys.stderr)
        yield row


def verdict_of(path: Path, kind: str, requests: int, seconds: float) -> Row:
    """A capture with the verdict on its twin."""
    with tempfile.TemporaryDirectory() as folder:
        found = analysed(path, Path(folder) / "twin.toml", seconds)
    twin = found.get("twin")
    if found.get("error") or twin is None:
        return Row(path.name, kind, requests, "refused", why=found.get("error") or "no twin")
    if twin["goodput"] is not None:
        kind = BULK
    ratios = {name: twin[name] for name in ("p50", "p99", "response_rate", "goodput", "transfer_time")}
    return Row(path.name, kind, requests, twin["verdict"], why=twin["why"], **ratios)


def analysed(path: Path, scenario: Path | None, seconds: float) -> dict[str, Any]:
    """What the analysis of a capture says, as a process of its own prints it."""
    command = [sys.executable, "-c", ONE, str(path), *([str(scenario)] if scenario else [])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"not analysed in {seconds:g} s"}
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()
        return {"error": last[-1] if last else "no output"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def kind_of(found: dict[str, Any]) -> tuple[str, int]:
    """The kind of a capture, and how many answered requests it has."""
    answered: Counter[str] = Counter()
    for row in found.get("flows", []):
        without_answer = row["unanswered"] + row["refused"] + row["open"]
        answered[row["service"]] += row["transactions"] - without_answer
    if found.get("network") in NETWORKS:
        return NETWORKS[found["network"]], answered.total()
    voice = sum(stream["packets"] for stream in found.get("streams", []))
    if voice >= max(FEWEST_VOICE_PACKETS, answered.total()):
        return CALLS, voice
    service, count = answered.most_common(1)[0] if answered else ("", 0)
    if count < FEWEST_REQUESTS and service.startswith("TCP ") and is_one_sided(found.get("conversations", [])):
        return BULK, count
    return SERVICES.get(service, OTHERS), count


def is_one_sided(conversations: Sequence[dict[str, Any]]) -> bool:
    """Whether a host sent much to another one, and got little back."""
    sent = {(row["from"], row["to"]): row["l3_bytes"] for row in conversations}
    return any(octets >= BULK_OCTETS and 20 * sent.get(ends[::-1], 0) <= octets for ends, octets in sent.items())


def table(rows: Sequence[Row]) -> str:
    """Kind by kind how many captures have each verdict, as Markdown."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.kind][row.verdict] += 1
        counts["all"][row.verdict] += 1
    lines = [f"| kind | captures | {' | '.join(VERDICTS.values())} |", "|---|---|" + "---|" * len(VERDICTS)]
    for kind in [*(kind for kind in KINDS if kind in counts), "all"]:
        cells = " | ".join(str(counts[kind][verdict]) for verdict in VERDICTS)
        lines.append(f"| {kind} | {counts[kind].total()} | {cells} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
