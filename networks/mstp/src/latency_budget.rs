//! Delay budget of a probed request.

use sojourn_model::latency_components;

latency_components! {
    /// A component of the delay budget.
    enum Component {
        /// Behind other requests of the client.
        ClientQueue = "client-queue",
        /// In the queue of the node, until it has the token and the frames before it are sent.
        TokenWait = "token-wait",
        /// The request on its trunks.
        Request = "request",
        /// The server, until its reply is ready and may be sent.
        Server = "server",
        /// A postponed reply, until the server has the token.
        PostponedWait = "postponed-wait",
        /// The reply on its trunks.
        Reply = "reply",
        /// Tries without a reply, up to the last retry.
        Retries = "retries",
        /// In routers, until they have the token.
        Routers = "routers",
        /// On IP networks.
        IpNetwork = "ip-network",
    }
}
