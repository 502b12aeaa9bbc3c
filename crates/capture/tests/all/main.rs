//! Captures as the trackers see them: scripted sessions, and tshark on the same packets where it is installed.

mod bad_input;
mod fddi;
mod ip;
