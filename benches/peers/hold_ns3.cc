// The hold model in ns-3: hold_ns3 SCHEDULER PENDING EVENTS
#include "random.h"
#include <cstdio>
#include <cstdlib>
#include <ns3/core-module.h>
#include <string>

namespace {

Random source(1);
uint64_t happened = 0;
uint64_t wanted = 0;

ns3::Time gap() { return ns3::NanoSeconds(int64_t(source.exponential(1e9))); }

void happen() {
    if (++happened == wanted) {
        ns3::Simulator::Stop();
    } else {
        ns3::Simulator::Schedule(gap(), &happen);
    }
}

} // namespace

int main(int count, char **arguments) {
    if (count != 4) {
        std::fprintf(stderr, "usage: hold_ns3 SCHEDULER PENDING EVENTS\n");
        return 2;
    }
    ns3::ObjectFactory scheduler;
    scheduler.SetTypeId(std::string("ns3::") + arguments[1]);
    ns3::Simulator::SetScheduler(scheduler);
    const uint64_t pending = std::strtoull(arguments[2], nullptr, 10);
    wanted = std::strtoull(arguments[3], nullptr, 10);
    for (uint64_t event = 0; event < pending; ++event) {
        ns3::Simulator::Schedule(gap(), &happen);
    }
    const double begin = processor_seconds();
    ns3::Simulator::Run();
    std::printf("{\"rate\": %.0f}\n", double(happened) / (processor_seconds() - begin));
    ns3::Simulator::Destroy();
}
