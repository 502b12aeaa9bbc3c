// Bulk transfers and an echo over one link in ns-3: two hosts, 155 Mbit/s, 1 ms, a drop-tail queue of 100 packets, three
// TCP transfers in one direction, a UDP echo of 64 octets every 10 ms: bulk_ns3 SECONDS
#include "random.h"
#include <cstdio>
#include <cstdlib>
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

namespace {

constexpr uint32_t transfers = 3;
constexpr uint16_t first_port = 5000;
constexpr uint16_t echo_port = 7;
constexpr uint32_t segment = 1448;

uint64_t packets = 0; // whose sending has begun, on either end of the link
uint64_t echoes = 0;

void sending(ns3::Ptr<const ns3::Packet>) { ++packets; }
void answered(ns3::Ptr<const ns3::Packet>) { ++echoes; }

// Octets that a transfer's sink has taken.
ns3::Ptr<ns3::PacketSink> transfer(ns3::Ptr<ns3::Node> from, ns3::Ptr<ns3::Node> to, ns3::Ipv4Address address,
                                   uint32_t number) {
    const uint16_t port = uint16_t(first_port + number);
    ns3::PacketSinkHelper receiver("ns3::TcpSocketFactory", ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port));
    ns3::BulkSendHelper sender("ns3::TcpSocketFactory", ns3::InetSocketAddress(address, port));
    sender.SetAttribute("SendSize", ns3::UintegerValue(segment));
    sender.Install(from).Start(ns3::MilliSeconds(100 * number));
    return ns3::DynamicCast<ns3::PacketSink>(receiver.Install(to).Get(0));
}

} // namespace

int main(int count, char **arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: bulk_ns3 SECONDS\n");
        return 2;
    }
    const double seconds = std::strtod(arguments[1], nullptr);
    const ns3::UintegerValue buffer(1 << 20);
    ns3::Config::SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(segment));
    ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", buffer);
    ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", buffer);

    ns3::NodeContainer hosts(2);
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::StringValue("155Mbps"));
    link.SetChannelAttribute("Delay", ns3::StringValue("1ms"));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", ns3::StringValue("100p"));
    ns3::NetDeviceContainer ends = link.Install(hosts);
    ns3::InternetStackHelper().Install(hosts);
    ns3::Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    const ns3::Ipv4Address server = addresses.Assign(ends).GetAddress(1);
    ns3::TrafficControlHelper().Uninstall(ends); // the device's queue alone
    for (uint32_t end = 0; end < 2; ++end) {
        ends.Get(end)->TraceConnectWithoutContext("PhyTxBegin", ns3::MakeCallback(&sending));
    }

    std::vector<ns3::Ptr<ns3::PacketSink>> sinks;
    for (uint32_t number = 0; number < transfers; ++number) {
        sinks.push_back(transfer(hosts.Get(0), hosts.Get(1), server, number));
    }
    ns3::UdpEchoServerHelper(echo_port).Install(hosts.Get(1));
    ns3::UdpEchoClientHelper client(server, echo_port);
    client.SetAttribute("MaxPackets", ns3::UintegerValue(1000000000));
    client.SetAttribute("Interval", ns3::TimeValue(ns3::MilliSeconds(10)));
    client.SetAttribute("PacketSize", ns3::UintegerValue(64));
    client.Install(hosts.Get(0)).Get(0)->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&answered));

    ns3::Simulator::Stop(ns3::Seconds(seconds));
    const double begin = processor_seconds();
    ns3::Simulator::Run();
    const double spent = processor_seconds() - begin;
    double octets = 0;
    for (const ns3::Ptr<ns3::PacketSink> &sink : sinks) {
        octets += double(sink->GetTotalRx());
    }
    std::printf("{\"rate\": %.0f, \"packets\": %llu, \"echoes\": %llu, \"throughput\": %.0f}\n", double(packets) / spent,
                static_cast<unsigned long long>(packets), static_cast<unsigned long long>(echoes),
                octets * 8 / seconds);
    ns3::Simulator::Destroy();
}
