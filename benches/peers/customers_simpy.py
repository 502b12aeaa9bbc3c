"""M/M/1 at 80 % load in SimPy, as its users write it, a process for each customer: customers_simpy.py CUSTOMERS"""

import json
import random
import sys
import time
from collections.abc import Generator

import simpy

MEAN_GAP = 10.0
MEAN_SERVICE = 8.0


def main(wanted: int) -> None:
    random.seed(1)
    environment = simpy.Environment()
    server = simpy.Resource(environment, capacity=1)
    finished = environment.event()
    served = 0
    total = 0.0

    def customer() -> Generator[simpy.Event, None, None]:
        nonlocal served, total
        entered = environment.now
        with server.request() as turn:
            yield turn
            yield environment.timeout(random.expovariate(1 / MEAN_SERVICE))
        served += 1
        total += environment.now - entered
        if served == wanted:
            finished.succeed()

    def source() -> Generator[simpy.Event, None, None]:
        while True:
            yield environment.timeout(random.expovariate(1 / MEAN_GAP))
            environment.process(customer())

    environment.process(source())
    begin = time.process_time()
    environment.run(until=finished)
    seconds = time.process_time() - begin
    print(json.dumps({"rate": served / seconds, "mean_response_time": total / served / MEAN_SERVICE}))


main(int(sys.argv[1]))
