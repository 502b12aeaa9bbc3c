// M/M/1 at 80 % load in ns-3, an event for each arrival and each departure: customers_ns3 CUSTOMERS
#include "random.h"
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <ns3/core-module.h>

namespace {

constexpr double mean_gap_ns = 10e6;
constexpr double mean_service_ns = 8e6;

Random source(1);
std::deque<int64_t> arrivals; // of the customers present
uint64_t served = 0;
uint64_t wanted = 0;
double total_ns = 0;

ns3::Time span(double mean_ns) { return ns3::NanoSeconds(int64_t(source.exponential(mean_ns))); }
int64_t now() { return ns3::Simulator::Now().GetNanoSeconds(); }

void depart() {
    total_ns += double(now() - arrivals.front());
    arrivals.pop_front();
    if (++served == wanted) {
        ns3::Simulator::Stop();
    } else if (!arrivals.empty()) {
        ns3::Simulator::Schedule(span(mean_service_ns), &depart);
    }
}

void arrive() {
    arrivals.push_back(now());
    if (arrivals.size() == 1) {
        ns3::Simulator::Schedule(span(mean_service_ns), &depart);
    }
    ns3::Simulator::Schedule(span(mean_gap_ns), &arrive);
}

} // namespace

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: customers_ns3 CUSTOMERS\n");
        return 2;
    }
    // the fastest scheduler for few events, where the default is a map
    ns3::ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::PriorityQueueScheduler");
    ns3::Simulator::SetScheduler(scheduler);
    wanted = std::strtoull(arguments[1], nullptr, 10);
    ns3::Simulator::Schedule(span(mean_gap_ns), &arrive);
    const double begin = processor_seconds();
    ns3::Simulator::Run();
    const double seconds = processor_seconds() - begin;
    std::printf("{\"rate\": %.0f, \"mean_response_time\": %.4f}\n", double(served) / seconds,
                total_ns / double(served) / mean_service_ns);
    ns3::Simulator::Destroy();
}
