// Memory of idle nodes in ns-3: nodes on one shared bus, each with a device and an internet stack: node_ns3 NODES
#include <cstdio>
#include <cstdlib>
#include <ns3/core-module.h>
#include <ns3/csma-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <unistd.h>

namespace {

double resident_bytes() {
    long total = 0;
    long resident = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%ld %ld", &total, &resident) != 2) {
        std::exit(1);
    }
    std::fclose(file);
    return double(resident) * double(sysconf(_SC_PAGESIZE));
}

} // namespace

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: node_ns3 NODES\n");
        return 2;
    }
    const uint32_t wanted = uint32_t(std::strtoul(arguments[1], nullptr, 10));
    const double before = resident_bytes();
    ns3::NodeContainer nodes;
    nodes.Create(wanted);
    ns3::NetDeviceContainer devices = ns3::CsmaHelper().Install(nodes);
    ns3::InternetStackHelper().Install(nodes);
    std::printf("{\"bytes\": %.0f}\n", (resident_bytes() - before) / double(wanted));
}
