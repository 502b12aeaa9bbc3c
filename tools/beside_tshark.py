"""How `sojourn analyse` pairs requests with answers, beside tshark: a table of the captures in folders.

    tools/beside_tshark.py FOLDER... [--seconds 60] [--rows FILE.csv] [--pairs FILE.csv] [--keep FOLDER]

Each capture is read by tshark and, in a process of its own, by `sojourn analyse --slowest 10000`. Captures with equal
contents count once. A pair of the one is that of the other where requests and answers are in the same frames, or in
frames of the same message: tshark names the last frame of a message, Sojourn the first. The protocol of a pair is that
of its frames as tshark dissects them.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import tshark_pairs
from tshark_pairs import PROTOCOLS, Frame, Pair

Listed = tuple[int | None, int | None, float, bool]
"""Frames of a request and of its answer, response time, and whether it was refused."""
ICMP = {"icmp", "icmpv6"}
LISTED = 10_000
"""Transactions that the analysis lists at most."""
ONE = """
import json, sys
from pathlib import Path
from sojourn.captures import Analyse, analyse
tables = analyse(Analyse(captures=[Path(sys.argv[1])], slowest=10_000)).capture or {}
answered = [*tables["slowest"], *(row for row in tables["lost"] if row["outcome"] == "refused")]
print(json.dumps([[*row["frames"], row["time"], row["outcome"] == "refused"] for row in answered]))
"""


@dataclass(frozen=True)
class Row:
    """A capture and a protocol in it."""

    capture: str
    protocol: str
    both: int
    """Pairs that both found."""
    tshark: int
    """Pairs that tshark alone found."""
    sojourn: int
    difference: float | None
    """Largest difference of the response times of common pairs, as reported, in seconds."""
    of_frames: float | None
    """The same where both name the same frames."""


@dataclass(frozen=True)
class Comparison:
    """The pairs of a protocol in a capture."""

    both: list[tuple[Pair, Pair]]
    tshark: list[Pair]
    sojourn: list[Pair]


def main(arguments: Sequence[str]) -> int:
    """Prints the table of protocols."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="longest analysis of a capture [60]")
    parser.add_argument("--rows", type=Path, help="CSV file for a row per capture and protocol")
    parser.add_argument("--pairs", type=Path, help="CSV file for the pairs that one alone found")
    parser.add_argument("--keep", type=Path, help="folder for the pairs of tshark, which are read there the next time")
    asked = parser.parse_args(arguments)
    rows: list[Row] = []
    alone: list[tuple[str, str, Pair]] = []
    with ThreadPoolExecutor(2) as pool:
        for path, found in pool.map(
            lambda path: (path, compared(path, asked.seconds, asked.keep)), captures(asked.folders)
        ):
            if isinstance(found, str):
                print(f"{path}: {found}", file=sys.stderr)
                continue
            rows += [row(f"{path.parent.name}/{path.name}", protocol, of) for protocol, of in sorted(found.items())]
            for of in found.values():
                alone += [(str(path), "tshark", pair) for pair in of.tshark]
                alone += [(str(path), "sojourn", pair) for pair in of.sojourn]
    if asked.rows is not None:
        _write(asked.rows, [field.name for field in fields(Row)], [list(asdict(row).values()) for row in rows])
    if asked.pairs is not None:
        header = ["capture", "by", *(field.name for field in fields(Pair))]
        _write(asked.pairs, header, [[path, by, *asdict(pair).values()] for path, by, pair in alone])
    print(table(rows))
    return 0


def captures(folders: Sequence[Path]) -> list[Path]:
    """All files, those with the same contents once, in the order of their hashes."""
    files: dict[str, Path] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        files.setdefault(_hash(path), path)
    return [path for _, path in sorted(files.items())]


def compared(path: Path, seconds: float, keep: Path | None = None) -> dict[str, Comparison] | str:
    """The pairs of a capture by protocol, or why they were not compared."""
    try:
        frames, known = _kept(path, seconds, keep) if keep else tshark_pairs.read(path, seconds)
        if not {name for frame in frames.values() for name in frame.protocols} & set(PROTOCOLS):
            return "no such protocol"
        tshark_pairs.spread(frames)
        done = subprocess.run(
            [sys.executable, "-c", ONE, str(path)], capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not read in {seconds:g} s"
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no output"])[-1]
    listed = json.loads(done.stdout)
    if len(listed) >= LISTED:
        return f"more than {LISTED} transactions"
    return by_protocol(frames, known, list(sojourn_pairs(listed, frames)))


def sojourn_pairs(listed: Sequence[Listed], frames: dict[int, Frame]) -> Iterator[Pair]:
    """Transactions as pairs of frames; one that a router refused is none."""
    for request, answer, time, is_refused in listed:
        if request not in frames or answer not in frames:
            continue
        asked, answered = (frames[number].protocols & set(PROTOCOLS) for number in (request, answer))
        if is_refused and bool(ICMP & answered) != bool(ICMP & asked):
            continue
        for dissector in sorted(asked & answered or asked | answered, key=list(PROTOCOLS).index)[-1:]:
            yield Pair(PROTOCOLS[dissector], request, answer, time)


def by_protocol(frames: dict[int, Frame], tshark: Sequence[Pair], sojourn: Sequence[Pair]) -> dict[str, Comparison]:
    """The pairs of both, protocol by protocol."""
    names = sorted({pair.protocol for pair in (*tshark, *sojourn)})
    of = {name: [[pair for pair in pairs if pair.protocol == name] for pairs in (tshark, sojourn)] for name in names}
    return {name: matched(frames, *pairs) for name, pairs in of.items()}


def matched(frames: dict[int, Frame], tshark: Sequence[Pair], sojourn: Sequence[Pair]) -> Comparison:
    """Each pair of tshark with one of Sojourn whose frames are of the same messages."""
    left: dict[tuple[int, int], list[Pair]] = defaultdict(list)
    for pair in sojourn:
        left[pair.request, pair.answer].append(pair)
    both, alone = [], []
    for pair in tshark:
        requests, answers = (_parts(frames, number) for number in (pair.request, pair.answer))
        places = [(request, answer) for request in requests for answer in answers if left.get((request, answer))]
        if places:
            both.append((pair, left[places[0]].pop()))
        else:
            alone.append(pair)
    return Comparison(
        both, alone, sorted((pair for pairs in left.values() for pair in pairs), key=lambda of: of.answer)
    )


def _parts(frames: dict[int, Frame], number: int) -> list[int]:
    """The frames of a message, its last one first."""
    if number not in frames:
        return []
    return [number, *(other for other in frames[number].segments if other != number)]


def row(capture: str, protocol: str, of: Comparison) -> Row:
    """The row of a protocol in a capture."""
    timed = [(one, other, by) for one, other in of.both if (by := _difference(one, other)) is not None]
    same = [by for one, other, by in timed if (one.request, one.answer) == (other.request, other.answer)]
    return Row(
        capture,
        protocol,
        len(of.both),
        len(of.tshark),
        len(of.sojourn),
        max((by for _, _, by in timed), default=None),
        max(same, default=None),
    )


def table(rows: Sequence[Row]) -> str:
    """Protocol by protocol the captures and pairs, as Markdown."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for of in rows:
        alike = of.tshark == of.sojourn == 0
        for name in (of.protocol, "all"):
            counts[name] += Counter(captures=1, alike=alike, both=of.both, tshark=of.tshark, sojourn=of.sojourn)
    differ = {of.capture for of in rows if of.tshark or of.sojourn}
    counts["all"]["captures"] = len({of.capture for of in rows})
    counts["all"]["alike"] = counts["all"]["captures"] - len(differ)
    columns = ("captures", "alike", "both", "tshark", "sojourn")
    lines = ["| protocol | captures | without a difference | pairs of both | of tshark alone | of Sojourn alone |"]
    lines.append("|---|" + "---|" * len(columns))
    for name in [*sorted((name for name in counts if name != "all"), key=str.lower), "all"]:
        lines.append(f"| {name} | {' | '.join(str(counts[name][column]) for column in columns)} |")
    return "\n".join(lines)


def _difference(one: Pair, other: Pair) -> float | None:
    return None if one.time is None or other.time is None else abs(one.time - other.time)


def _kept(path: Path, seconds: float, keep: Path) -> tuple[dict[int, Frame], list[Pair]]:
    """What tshark has found before, or finds now and leaves in the folder."""
    file = keep / f"{_hash(path)}.json"
    if not file.exists():
        frames, pairs = tshark_pairs.read(path, seconds)
        rows = [[number, of.time, sorted(of.protocols), of.ends, of.segments] for number, of in frames.items()]
        keep.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([rows, [list(asdict(pair).values()) for pair in pairs]]))
    rows, found = json.loads(file.read_text())
    frames = {number: Frame(time, set(names), tuple(ends), segments) for number, time, names, ends, segments in rows}
    return frames, [Pair(*pair) for pair in found]


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
