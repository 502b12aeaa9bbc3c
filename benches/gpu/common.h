// Random numbers and sums, the same bits on processor and GPU: xoshiro256++ (Blackman and Vigna, 2019), the ziggurat of exponential
// variates (Marsaglia and Tsang, 2000) and the logarithm of FreeBSD, as the engine has them. The edges of layers alone are decided by
// that logarithm, in place of an exponential function.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef __CUDACC__
#define BOTH __host__ __device__
#else
#define BOTH
#endif

using u64 = uint64_t;
constexpr u64 MICROSECOND = 1000000, NEVER = u64(1) << 62; // times are picoseconds

BOTH u64 mixed(u64 x) { // SplitMix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct Stream {
    u64 s[4];
    Stream() = default;
    explicit Stream(u64 seed) {
        for (u64 &word : s) word = mixed(seed = mixed(seed + 0x9e3779b97f4a7c15u));
    }
    BOTH static u64 rotated(u64 x, int by) { return x << by | x >> (64 - by); }
    BOTH u64 bits() {
        const u64 result = rotated(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = rotated(s[3], 45);
        return result;
    }
    BOTH double unit() { return fmin((double(bits() >> 11) + 0.5) * 0x1p-53, 1 - 0x1p-53); }
    BOTH uint32_t below(uint32_t bound) {
        u64 product = u64(uint32_t(bits())) * bound;
        while (uint32_t(product) < bound && uint32_t(product) < -bound % bound) product = u64(uint32_t(bits())) * bound;
        return uint32_t(product >> 32);
    }
};

BOTH double logarithm(double x) { // e_log.c of FreeBSD, of positive normal numbers
    u64 bits;
    memcpy(&bits, &x, 8);
    const uint32_t high = uint32_t(bits >> 32) + (0x3ff00000 - 0x3fe6a09e);
    const double k = int(high >> 20) - 0x3ff;
    bits = u64((high & 0xfffff) + 0x3fe6a09e) << 32 | uint32_t(bits);
    memcpy(&x, &bits, 8);
    const double f = x - 1, half = 0.5 * f * f, s = f / (2 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double last = w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01);
    const double odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + last));
    return s * (half + (odd + even)) + k * 1.90821492927058770002e-10 - half + f + k * 6.93147180369123816490e-01;
}

struct Ziggurat { // of the exponential density, with 256 layers
    static constexpr double TAIL = 7.69711747013105;
    double edge[257], height[257];
    Ziggurat() {
        const double area = (TAIL + 1) * std::exp(-TAIL);
        edge[0] = area / std::exp(-TAIL);
        edge[1] = TAIL;
        edge[256] = 0;
        for (int i = 2; i < 256; ++i) edge[i] = -logarithm(std::exp(-edge[i - 1]) + area / edge[i - 1]);
        for (int i = 0; i < 257; ++i) height[i] = std::exp(-edge[i]);
    }
    BOTH u64 draw(Stream &stream, u64 mean) const {
        for (;;) {
            const u64 bits = stream.bits();
            const int layer = bits & 255;
            double x = (double(bits >> 11) + 0.5) * 0x1p-53 * edge[layer];
            if (x >= edge[layer + 1]) {
                if (layer == 0)
                    x = TAIL - logarithm(stream.unit());
                else if (logarithm(height[layer] + stream.unit() * (height[layer + 1] - height[layer])) >= -x)
                    continue;
            }
            return u64(x * double(mean) + 0.5);
        }
    }
};

struct Tally {
    u64 events = 0, special = 0, digest = 0; // special: trajectories that reached the rare set; messages lost
    void add(const Tally &other) {
        events += other.events;
        special += other.special;
        digest += other.digest;
    }
    bool operator==(const Tally &other) const {
        return events == other.events && special == other.special && digest == other.digest;
    }
};
