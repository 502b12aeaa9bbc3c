"""Scenarios that tests of pages share."""

QUEUE = """title = "One server"

[network]
kind = "queue"

[[station]]
name = "server"
service = { kind = "exponential", mean = "10 ms" }

[[flow]]
name = "customers"
path = ["server"]
arrivals = { kind = "poisson", rate = "80 /s" }
probe = true

[run]
duration = "20 s"
warm_up = "1 s"
replications = 2
"""
