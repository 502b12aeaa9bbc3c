"""The hold model in SimPy, as bare callbacks (its fastest form): hold_simpy.py PENDING EVENTS"""

import json
import random
import sys
import time

import simpy


def main(pending: int, wanted: int) -> None:
    random.seed(1)
    environment = simpy.Environment()
    finished = environment.event()
    happened = 0

    def happen(_event: simpy.Event) -> None:
        nonlocal happened
        happened += 1
        if happened == wanted:
            finished.succeed()
        else:
            environment.timeout(random.expovariate(1.0)).callbacks.append(happen)

    for _ in range(pending):
        environment.timeout(random.expovariate(1.0)).callbacks.append(happen)
    begin = time.process_time()
    environment.run(until=finished)
    print(json.dumps({"rate": happened / (time.process_time() - begin)}))


main(int(sys.argv[1]), int(sys.argv[2]))
