// Equal short trajectories on a GPU and on the processor beside it, by the same code: would copies of rare events pay there?
//
//   nvcc -O3 -std=c++17 -arch=sm_90 -fmad=false -Xcompiler -O3,-march=native,-ffp-contract=off,-pthread trajectories.cu -o trajectories
//   g++ -x c++ -O3 -std=c++17 -march=native -ffp-contract=off -pthread trajectories.cu -o trajectories     (the processor alone)
//   ./trajectories PACKETS STATE_BYTES OTHERS
//
// Follows 100 to 10^6 copies of an M/M/1 queue (queue.h), for 64 events each and until they fall or have risen by 3, and of the contention of
// a LonTalk channel of 34 nodes (channel.h), for PACKETS busy periods each. Of two rows of a channel the first has a thread for each, the
// second a warp, a lane for a node. `state`: each has STATE_BYTES besides, of which a packet changes 31 lines. `others`: with OTHERS rounds
// of code that one thread executes for each packet, in place of all else that a packet of the engine does.
//
// A row: trajectories, and events or correct packets of all; milliseconds of the kernel, of it with states copied in and results out, of
// one core and of all; the same as M/s; whether the sums of all results are those of the processor. Medians of five, on one core of
// three. Before them: what it takes until the GPU is ready, and for how many arguments its own logarithm differs from others.
//
// The table in ../README.md is of `trajectories 25 102400 234`.
#include "channel.h"
#include "queue.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

// One core takes too long for more trajectories; its time is scaled.
constexpr u64 MOST_ON_ONE_CORE = 10000;

const unsigned cores = std::max(1u, std::thread::hardware_concurrency());

// Many trajectories: `states` of so many bytes, and memory that they change.
struct Batch {
    const char *name;
    u64 count;
    const void *states;
    u64 bytes;
    u64 *memory;
    u64 memory_bytes;
};

struct Times {
    double kernel_ms = 0, copying_ms = 0, core_ms = 0, cores_ms = 0;
};

template <class F> double median_ms(int rounds, F f) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> took(rounds);
    for (double &ms : took) {
        const auto begin = Clock::now();
        f();
        ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    }
    std::sort(took.begin(), took.end());
    return took[rounds / 2];
}

// The sum of what `work` gives of 0 to `count`, on so many threads.
template <class F> Tally on_threads(unsigned threads, u64 count, F work) {
    std::vector<Tally> tallies(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
        running.emplace_back([=, &tallies] {
            Tally tally;
            for (u64 number = count * t / threads; number < count * (t + 1) / threads; ++number) tally.add(work(number));
            tallies[t] = tally;
        });
    for (std::thread &thread : running) thread.join();
    for (unsigned t = 1; t < threads; ++t) tallies[0].add(tallies[t]);
    return tallies[0];
}

#ifdef __CUDACC__
void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

template <class T> T *on_gpu(u64 count) {
    T *memory = nullptr;
    check(cudaMalloc(&memory, (count + 1) * sizeof(T)));
    return memory;
}

// Memory of the processor that is copied at full rate.
template <class T> T *allocated(u64 count) {
    T *memory = nullptr;
    check(cudaMallocHost(&memory, (count + 1) * sizeof(T)));
    return memory;
}

void release(void *memory) { check(cudaFreeHost(memory)); }

template <class Work> __global__ void follow_all(Work work, const Ziggurat *ziggurat, u64 count, Tally *tallies) {
    const u64 thread = u64(blockIdx.x) * blockDim.x + threadIdx.x, number = thread / Work::LANES;
    if (number >= count) return;
    const Tally tally = work.follow(*ziggurat, number, int(thread % Work::LANES));
    if (thread % Work::LANES == 0) tallies[number] = tally;
}

// The sum of all trajectories on the GPU.
template <class Work> Tally on_gpu(const Ziggurat &ziggurat, const Batch &batch, Work work, Times &times) {
    char *states = on_gpu<char>(batch.bytes);
    u64 *memory = on_gpu<u64>(batch.memory_bytes / 8);
    Tally *there = on_gpu<Tally>(batch.count), *tallies = allocated<Tally>(batch.count);
    Ziggurat *tables = on_gpu<Ziggurat>(1);
    check(cudaMemcpy(tables, &ziggurat, sizeof ziggurat, cudaMemcpyDefault));
    work.place(states, memory);
    const u64 block = 128, blocks = (batch.count * Work::LANES + block - 1) / block;
    const auto begin = [&] {
        follow_all<<<unsigned(blocks), unsigned(block)>>>(work, tables, batch.count, there);
        check(cudaGetLastError());
    };
    const auto copying = [&] {
        check(cudaMemcpyAsync(states, batch.states, batch.bytes, cudaMemcpyDefault));
        check(cudaMemcpyAsync(memory, batch.memory, batch.memory_bytes, cudaMemcpyDefault));
        begin();
        check(cudaMemcpyAsync(tallies, there, batch.count * sizeof(Tally), cudaMemcpyDefault));
        check(cudaDeviceSynchronize());
    };
    copying();
    times.copying_ms = median_ms(5, copying);
    times.kernel_ms = median_ms(5, [&] {
        begin();
        check(cudaDeviceSynchronize());
    });
    Tally sum;
    for (u64 number = 0; number < batch.count; ++number) sum.add(tallies[number]);
    for (void *used : {(void *)states, (void *)memory, (void *)there, (void *)tables}) check(cudaFree(used));
    release(tallies);
    return sum;
}

__global__ void logarithms(double *values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = log(values[i]);
}

void differing_logarithms() {
    constexpr int COUNT = 1 << 20;
    double *values = allocated<double>(COUNT), *there = on_gpu<double>(COUNT);
    Stream stream(1);
    for (int i = 0; i < COUNT; ++i) values[i] = stream.unit();
    check(cudaMemcpy(there, values, COUNT * sizeof(double), cudaMemcpyDefault));
    logarithms<<<COUNT / 256, 256>>>(there, COUNT);
    std::vector<double> logs(COUNT);
    check(cudaMemcpy(logs.data(), there, COUNT * sizeof(double), cudaMemcpyDefault));
    int platforms = 0, engines = 0;
    for (int i = 0; i < COUNT; ++i) platforms += logs[i] != std::log(values[i]), engines += logs[i] != logarithm(values[i]);
    std::printf("of %d logarithms of the GPU %d differ from the platform's and %d from the engine's\n", COUNT, platforms, engines);
}
#else
template <class T> T *allocated(u64 count) { return static_cast<T *>(std::malloc((count + 1) * sizeof(T))); }

void release(void *memory) { std::free(memory); }
#endif

// Prints a row; one of a warp each is compared with `expected`, which the row before it has set.
template <class Work> void row(const Ziggurat &ziggurat, const Batch &batch, Work work, Tally &expected) {
    work.place(batch.states, batch.memory);
    const auto one = [&ziggurat, work](u64 number) { return work.follow(ziggurat, number, 0); };
    const u64 few = std::min(batch.count, MOST_ON_ONE_CORE);
    Times times;
    if (Work::LANES == 1) {
        times.core_ms = median_ms(3, [&] { on_threads(1, few, one); }) * double(batch.count) / double(few);
        times.cores_ms = median_ms(5, [&] { expected = on_threads(cores, batch.count, one); });
    }
    Tally tally = expected;
#ifdef __CUDACC__
    tally = on_gpu(ziggurat, batch, work, times);
#endif
    std::printf("%-26s %8llu %10llu ", batch.name, (unsigned long long)batch.count, (unsigned long long)tally.events);
    const double all[] = {times.kernel_ms, times.copying_ms, times.core_ms, times.cores_ms};
    for (double ms : all) std::printf(" %10.3f", ms);
    for (double ms : all) std::printf(" %9.2f", ms > 0 ? double(tally.events) / ms / 1e3 : 0);
    std::printf("  %s\n", tally == expected ? "same" : "DIFFERENT");
    std::fflush(stdout);
}

void queues(const Ziggurat &ziggurat, u64 count) {
    QueueState *states = allocated<QueueState>(count);
    for (u64 number = 0; number < count; ++number) states[number] = QueueState(ziggurat, number);
    const u64 bytes = count * sizeof(QueueState);
    Tally tally;
    row(ziggurat, {"queue, 64 events", count, states, bytes, nullptr, 0}, Queues{nullptr, false}, tally);
    row(ziggurat, {"queue, until it falls", count, states, bytes, nullptr, 0}, Queues{nullptr, true}, tally);
    release(states);
}

void channels(const Ziggurat &ziggurat, u64 count, int packets, u64 state_bytes, int others) {
    const Beginning beginning(ziggurat);
    const u64 lines = state_bytes / 64, memory_bytes = count * lines * 64;
    Node *nodes = allocated<Node>(count * NODES);
    u64 *memory = allocated<u64>(memory_bytes / 8);
    on_threads(cores, count, [=, &ziggurat, &beginning](u64 number) {
        beginning.copy(ziggurat, number, nodes + number * NODES);
        std::memset(memory + number * lines * 8, 0, lines * 64);
        return Tally();
    });
    const char *name = lines == 0 ? "channel" : others == 0 ? "channel, state" : "channel, state, others";
    Tally tally;
    const Batch batch = {name, count, nodes, count * NODES * sizeof(Node), memory, memory_bytes};
    row(ziggurat, batch, Channels<1>{nullptr, beginning.from, nullptr, lines, packets, others}, tally);
#ifdef __CUDACC__
    row(ziggurat, batch, Channels<32>{nullptr, beginning.from, nullptr, lines, packets, others}, tally);
#endif
    release(nodes);
    release(memory);
}

int main(int count, char **arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: trajectories PACKETS STATE_BYTES OTHERS\n");
        return 2;
    }
    const int packets = std::atoi(arguments[1]);
    const u64 state_bytes = std::strtoull(arguments[2], nullptr, 10);
    const int others = std::atoi(arguments[3]);
#ifdef __CUDACC__
    std::printf("the GPU is ready after %.0f ms\n", median_ms(1, [] { check(cudaFree(nullptr)); }));
    differing_logarithms();
#endif
    std::printf("%-26s %8s %10s  %10s %10s %10s %7u ms\n", "", "number", "events", "kernel ms", "copied ms", "1 core ms", cores);
    const Ziggurat ziggurat;
    for (u64 number : {100, 10000, 1000000}) queues(ziggurat, number);
    for (u64 number : {100, 10000, 1000000}) channels(ziggurat, number, packets, 0, 0);
    for (u64 number : {100, 10000, 100000}) channels(ziggurat, number, packets, state_bytes, 0);
    for (u64 number : {100, 10000, 100000}) channels(ziggurat, number, packets, state_bytes, others);
}
