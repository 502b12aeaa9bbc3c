// Copies of an M/M/1 queue at a load of 0.5 that has risen to a threshold: arrivals and departures, whichever is next.
#pragma once
#include "common.h"

constexpr u64 ARRIVALS = 2000 * MICROSECOND, SERVICE = 1000 * MICROSECOND;

struct QueueState {
    Stream stream;
    u64 arrival, departure;
    QueueState(const Ziggurat &ziggurat, u64 number)
        : stream(number), arrival(ziggurat.draw(stream, ARRIVALS)), departure(ziggurat.draw(stream, SERVICE)) {}
};

struct Queues {
    static constexpr int LANES = 1, MOST = 64, FROM = 8, RARE = 11;
    const QueueState *states;
    bool ends; // below the threshold and in the rare set; otherwise after MOST events, so that all are equally long
    void place(const void *there, u64 *) { states = static_cast<const QueueState *>(there); }
    BOTH Tally follow(const Ziggurat &ziggurat, u64 number, int) const {
        QueueState state = states[number];
        Tally tally;
        for (int customers = FROM; ends || tally.events < MOST;) {
            const bool arrives = state.arrival < state.departure;
            const u64 now = arrives ? state.arrival : state.departure;
            const u64 next = now + ziggurat.draw(state.stream, arrives ? ARRIVALS : SERVICE);
            (arrives ? state.arrival : state.departure) = next;
            customers += arrives ? 1 : -1;
            ++tally.events;
            tally.digest = mixed(now);
            if (customers >= FROM && customers < RARE) continue;
            tally.special += customers >= RARE;
            if (ends) break;
            customers = FROM;
        }
        return tally;
    }
};
