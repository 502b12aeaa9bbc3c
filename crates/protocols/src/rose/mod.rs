//! ROSE, packet radio over virtual circuits: the X.25 packet layer inside AX.25 links. Packets as bytes in [`wire`].

pub mod wire;
