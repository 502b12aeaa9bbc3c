//! Bytes as what a DNS server answers.
#![no_main]

sojourn_fuzz::target!(sojourn_live::fuzz::dns_response);
