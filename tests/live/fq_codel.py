"""FQ-CoDel (RFC 8290) before a link of a given rate, in user space: the kernel may have no `fq_codel`.

The parameters are the defaults of Linux. A packet leaves the scheduler when the packet before it has been transmitted;
`link_free` is the time of that.
"""

import collections
import math
import time
from dataclasses import dataclass, field

TARGET_S, INTERVAL_S = 0.005, 0.1
QUANTUM_BYTES = FULL_PACKET_BYTES = 1514


@dataclass
class Flow:
    """A queue with its credit and its CoDel state (RFC 8289)."""

    packets: collections.deque[tuple[float, bytes]] = field(default_factory=collections.deque)
    held: int = 0
    credit: int = 0
    above_since: float = 0.0
    dropping: bool = False
    next_drop: float = 0.0
    count: int = 0
    last_count: int = 0

    def take(self, now: float) -> tuple[bytes | None, bool]:
        """The next packet, and whether its delay has been above the target for an interval."""
        if not self.packets:
            self.above_since = 0.0
            return None, False
        came, packet = self.packets.popleft()
        self.held -= len(packet)
        if now - came < TARGET_S or self.held <= FULL_PACKET_BYTES:
            self.above_since = 0.0
            return packet, False
        if not self.above_since:
            self.above_since = now + INTERVAL_S
            return packet, False
        return packet, now >= self.above_since

    def dequeue(self, now: float) -> tuple[bytes | None, int]:
        """The next packet that is not dropped, and how many were dropped before it."""
        dropped = 0
        packet, late = self.take(now)
        if self.dropping:
            self.dropping &= late
            while self.dropping and now >= self.next_drop:
                dropped += 1
                self.count += 1
                packet, late = self.take(now)
                self.dropping &= late
                self.next_drop += INTERVAL_S / math.sqrt(self.count) if self.dropping else 0.0
        elif late:
            dropped += 1
            packet, _ = self.take(now)
            self.dropping = True
            since = self.count - self.last_count
            recent = since > 1 and now - self.next_drop < 16 * INTERVAL_S
            self.count = self.last_count = since if recent else 1
            self.next_drop = now + INTERVAL_S / math.sqrt(self.count)
        return packet, dropped


class FqCodel:
    """The flows that have packets, in the order of deficit round robin, and the link."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.flows: dict[bytes, Flow] = {}
        self.new: collections.deque[Flow] = collections.deque()
        self.old: collections.deque[Flow] = collections.deque()
        self.link_free = time.monotonic()
        self.dropped = 0

    def put(self, packet: bytes, now: float) -> None:
        """Queues an IPv4 packet with its flow: protocol, addresses and ports."""
        flow = self.flows.setdefault(packet[9:10] + packet[12:24], Flow())
        flow.packets.append((now, packet))
        flow.held += len(packet)
        if flow not in self.new and flow not in self.old:
            flow.credit = QUANTUM_BYTES
            self.new.append(flow)

    def leaving(self, now: float) -> list[bytes]:
        """Packets that have begun to leave by `now`; the last may keep the link beyond it."""
        sent = []
        while self.link_free <= now and (packet := self.scheduled(now)):
            self.link_free = max(self.link_free, now - 0.001) + 8 * (len(packet) + 14) / self.rate
            sent.append(packet)
        return sent

    def scheduled(self, now: float) -> bytes | None:
        """The packet whose turn it is."""
        while self.new or self.old:
            turn = self.new or self.old
            flow = turn[0]
            if flow.credit <= 0:
                flow.credit += QUANTUM_BYTES
                self.old.append(turn.popleft())
                continue
            packet, dropped = flow.dequeue(now)
            self.dropped += dropped
            if packet is not None:
                flow.credit -= len(packet) + 14
                return packet
            emptied = turn.popleft()
            if turn is self.new and self.old:
                self.old.append(emptied)
        return None
