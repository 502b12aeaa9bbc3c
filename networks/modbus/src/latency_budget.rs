//! Delay budget of a request.

use sojourn_model::latency_components;

latency_components! {
    /// A component of the delay budget.
    enum Component {
        /// In the client: behind other requests, and until its line is silent.
        ClientQueue = "client-queue",
        /// From the client's first try to the last.
        Retries = "retries",
        /// The request on the wire.
        Request = "request",
        /// In a gateway, until the line is free.
        GatewayQueue = "gateway-queue",
        /// Until the server begins: the silence that ends the request, other requests, the rest of a scan cycle.
        ServerWait = "server-wait",
        /// The server carries out the request.
        Server = "server",
        /// The response on the wire, with the silence that ends it.
        Response = "response",
        /// Until the client's program has the response that its host has received, and likewise in a gateway.
        Host = "host",
        /// The turnaround delay after a broadcast.
        Turnaround = "turnaround",
    }
}
