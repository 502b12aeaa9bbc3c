// The random numbers of the C++ peers: xoshiro256++ (Blackman and Vigna), seeded by SplitMix64, so that the
// simulators and not their generators are compared.
#pragma once
#include <cmath>
#include <cstdint>
#include <ctime>

class Random {
public:
    explicit Random(uint64_t seed) {
        for (uint64_t &word : state) {
            seed += 0x9e3779b97f4a7c15u;
            uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
            word = mixed ^ (mixed >> 31);
        }
    }

    // Exponential with this mean.
    double exponential(double mean) { return -mean * std::log((double(bits() >> 11) + 0.5) * 0x1p-53); }

private:
    uint64_t bits() {
        const uint64_t result = rotate(state[0] + state[3], 23) + state[0];
        const uint64_t shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = rotate(state[3], 45);
        return result;
    }

    static uint64_t rotate(uint64_t word, int by) { return word << by | word >> (64 - by); }

    uint64_t state[4];
};

// Processor seconds of this process.
inline double processor_seconds() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}
