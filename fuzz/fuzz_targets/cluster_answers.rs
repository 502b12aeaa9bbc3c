//! Bytes as what a worker of a cluster answers.
#![no_main]

sojourn_fuzz::target!(sojourn_lab::fuzz::answers);
