// The contention of a LonTalk channel of 34 nodes: slots, backlog estimates and their decay as crates/networks/src/lontalk/medium has
// them on TP/XF-78, without priority or collision detection; with arrivals, output buffers and acknowledgements. Nothing else of a packet: no
// protocol machines (timers, retries, receive records), CPUs of nodes, input buffers, event queue or records.
#pragma once
#include "common.h"

// Nodes in pairs that send 250 acknowledged messages a second, in packets of 11 bytes.
constexpr int NODES = 34;
constexpr u64 INTERVAL = 136000 * MICROSECOND, WIRE = 1280 * MICROSECOND;
constexpr u64 BETA1 = 802200000, BETA2 = 72 * MICROSECOND, SENSE = 51 * MICROSECOND, IDLE_TIMER = 4305600000;
constexpr uint32_t BACKLOG_CAP = 63, WINDOW = 16, BUFFERS = 31;
// Lines of 64 bytes that a packet changes: as many as one of the engine misses in a cache that holds nothing of its channel.
constexpr int LINES = 31;

struct Least {
    BOTH u64 operator()(u64 a, u64 b) const { return a < b ? a : b; }
};
struct Most {
    BOTH u64 operator()(u64 a, u64 b) const { return a < b ? b : a; }
};
struct Sum {
    BOTH u64 operator()(u64 a, u64 b) const { return a + b; }
};

struct Node {
    Stream stream;
    u64 arrival, fire, since, idle; // of the next message; of its packet; since when it contends; how far its idle timer has run
    uint32_t acknowledgements, waiting, backlog; // of the packets that wait, from bit 0, those that are acknowledgements

    BOTH void put(bool acknowledgement, Tally &tally) {
        if (waiting == BUFFERS) {
            ++tally.special;
            return;
        }
        acknowledgements |= uint32_t(acknowledgement) << waiting++;
    }

    BOTH void fall(u64 periods) { backlog = periods < backlog ? backlog - uint32_t(periods) : 1; }

    // Nothing was to be sent until `time`; the random slots began at `from`.
    BOTH void rest(u64 time, u64 from) {
        idle += time > from ? time - from : 0;
        fall(idle / IDLE_TIMER);
        idle %= IDLE_TIMER;
    }

    BOTH void draw(u64 from) {
        since = from;
        fire = from + BETA2 * stream.below(WINDOW * backlog);
    }

    // A message comes during the idle period.
    BOTH void contend(u64 from) {
        rest(arrival, from);
        draw(Most()(arrival, from));
    }

    BOTH void accept(const Ziggurat &ziggurat, Tally &tally) {
        put(false, tally);
        arrival += ziggurat.draw(stream, INTERVAL);
    }

    // A packet was heard, or sent.
    BOTH void apply(bool acknowledgement) {
        if (acknowledgement)
            fall(1);
        else if (backlog < BACKLOG_CAP)
            ++backlog;
        idle = 0;
    }
};

// Many channels, with a thread or a warp for each; a lane has each LANES-th node.
template <int LANES_> struct Channels {
    static constexpr int LANES = LANES_, OWN = (NODES + LANES - 1) / LANES;
    const Node *nodes;
    u64 begin, *memory;
    size_t lines; // of memory of a channel, which begins as zeros
    int packets, others;

    void place(const void *there, u64 *memory_there) {
        nodes = static_cast<const Node *>(there);
        memory = memory_there;
    }

    // The same for all lanes.
    template <class Op> BOTH static u64 reduced(u64 value, [[maybe_unused]] Op op) {
#ifdef __CUDA_ARCH__
        for (int by = LANES / 2; by > 0; by /= 2) value = op(value, __shfl_xor_sync(~0u, value, by));
#endif
        return value;
    }

    template <class F> BOTH static void each(Node *own, int lane, F f) {
#ifdef __CUDACC__
#pragma unroll(LANES == 1 ? 1 : OWN)
#endif
        for (int i = 0; i < OWN; ++i)
            if (i * LANES + lane < NODES) f(own[i], u64(i * LANES + lane));
    }

    // Contenders draw slots; returns when the first transmits.
    BOTH static u64 first_transmission(Node *own, int lane, u64 from) {
        u64 first = NEVER;
        each(own, lane, [&](Node &node, u64) {
            node.fire = NEVER;
            if (node.waiting) node.draw(from);
            first = Least()(first, node.fire);
        });
        first = reduced(first, Least());
        // a message that comes before that is sensed draws at once: its packet may be the first
        const u64 bound = first + SENSE;
        each(own, lane, [&](const Node &node, u64) {
            if (node.waiting || node.arrival >= bound) return;
            Node trial = node;
            trial.contend(from);
            first = Least()(first, trial.fire);
        });
        return reduced(first, Least());
    }

    // An idle period, whose random slots begin at `from`, and the busy period after it; returns when the next random slots begin.
    // `sender` is that of the packet received, -1 after a collision.
    BOTH static u64 pass(const Ziggurat &ziggurat, Node *own, int lane, u64 from, Tally &tally, int *sender) {
        const u64 sensed = first_transmission(own, lane, from) + SENSE;
        u64 senders = 0, last = 0; // number of senders, and the number and kind of packet if there is one
        each(own, lane, [&](Node &node, u64 number) {
            if (!node.waiting && node.arrival < sensed) {
                node.contend(from);
                node.accept(ziggurat, tally);
            }
            if (node.fire >= sensed) return;
            senders += u64(1) << 32 | number << 1 | (node.acknowledgements & 1);
            last = Most()(last, node.fire);
        });
        senders = reduced(senders, Sum());
        const u64 end = reduced(last, Most()) + WIRE;
        const bool received = senders >> 32 == 1, acknowledgement = senders & 1;
        *sender = received ? int(uint32_t(senders) >> 1) : -1;
        each(own, lane, [&](Node &node, u64 number) {
            const bool sends = node.fire < sensed;
            if (node.waiting)
                node.fall(sensed > node.since ? (sensed - node.since) / (WINDOW * BETA2) : 0);
            else
                node.rest(sensed, from);
            while (node.arrival < end) node.accept(ziggurat, tally);
            if (sends) {
                node.apply(node.acknowledgements & 1);
                node.acknowledgements >>= 1;
                --node.waiting;
            } else if (received) {
                node.apply(acknowledgement);
            }
            if (received && !acknowledgement && number == u64(*sender ^ 1)) node.put(true, tally);
        });
        return end + BETA1;
    }

    // In place of all other code of a packet, which one thread executes: rounds of some 20 instructions with a branch that is
    // taken one time in six.
    BOTH u64 other(u64 x, const u64 *line) const {
        u64 y = 0;
        for (int round = 0; round < others; ++round) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            y = Stream::rotated(y, 23) + x;
            if (x >> 58 < 11)
                y += line[8 * (x & 15)];
            else
                y ^= x >> 11;
        }
        return y;
    }

    BOTH Tally follow(const Ziggurat &ziggurat, u64 number, int lane) const {
        Node own[OWN];
        Tally tally;
        u64 from = begin;
        each(own, lane, [&](Node &node, u64 place) { node = nodes[number * NODES + place]; });
        for (int packet = 0; packet < packets; ++packet) {
            int sender;
            from = pass(ziggurat, own, lane, from, tally, &sender);
            tally.events += lane == 0 && sender >= 0;
            if (sender < 0 || lines == 0) continue;
            u64 *sending = memory + 8 * (number * lines + size_t(sender) * (lines / NODES));
            u64 *receiving = memory + 8 * (number * lines + size_t(sender ^ 1) * (lines / NODES));
            // written, and zero all the same, so that a second run finds what the first did
            for (int line = lane; line < LINES; line += LANES) (line % 2 ? sending : receiving)[8 * (line / 2)] |= packets == 0;
            if (lane == 0) tally.digest += other(from, sending);
        }
        each(own, lane, [&](Node &node, u64 place) {
            tally.digest += mixed(from + place) * (node.backlog << 8 | node.waiting) + node.arrival;
        });
        return {reduced(tally.events, Sum()), reduced(tally.special, Sum()), reduced(tally.digest, Sum())};
    }
};

// A channel after a second.
struct Beginning {
    Node nodes[NODES] = {};
    u64 from = 0;

    explicit Beginning(const Ziggurat &ziggurat) {
        for (int place = 0; place < NODES; ++place) {
            nodes[place].stream = Stream(~u64(place));
            nodes[place].backlog = 1;
            nodes[place].arrival = ziggurat.draw(nodes[place].stream, INTERVAL);
        }
        Tally tally;
        for (int sender; from < 1000000 * MICROSECOND;) from = Channels<1>::pass(ziggurat, nodes, 0, from, tally, &sender);
    }

    // A copy with streams and arrivals of its own.
    void copy(const Ziggurat &ziggurat, u64 number, Node *copied) const {
        for (int place = 0; place < NODES; ++place) {
            Node &node = copied[place] = nodes[place];
            node.stream = Stream(number * NODES + place);
            node.arrival = from + ziggurat.draw(node.stream, INTERVAL);
        }
    }
};
