"""Runs what bench/run.py asks of it with pylance: a request a line on stdin, an answer a line on stdout, both JSON.

The request and the answer are those of main.go, beside this.
"""

import json
import re
import resource
import sys
import time
from pathlib import Path

import lance


class Workload:
    def __init__(self, spec):
        self.spec = spec
        self.ds = lance.dataset(spec["table"])
        self.turn = 0

    def once(self):
        """One pass; gives the rows."""
        if self.spec["op"] == "take":
            sets = self.spec["indices"]
            self.turn += 1
            return self.ds.take(sets[self.turn % len(sets)], columns=self.spec["columns"]).num_rows
        rows = 0
        scanner = self.ds.scanner(columns=self.spec["columns"], filter=self.spec.get("pylance_filter"))
        for batch in scanner.to_batches():
            rows += batch.num_rows
        return rows


def status(key):
    return int(re.search(rf"^{key}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.M)[1])


def answer(w, passes):
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    w.ds.io_stats_incremental()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    start, rows = time.perf_counter(), 0
    for _ in range(passes):
        rows += w.once()
    wall = time.perf_counter() - start
    end = resource.getrusage(resource.RUSAGE_SELF)
    io = w.ds.io_stats_incremental()
    cpu = end.ru_utime + end.ru_stime - usage.ru_utime - usage.ru_stime
    return {"wall": wall, "cpu": cpu, "rows": rows, "bytes": io.read_bytes, "requests": io.read_iops, "peak_kb": status("VmHWM")}


def main():
    w = Workload(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        print(json.dumps(answer(w, json.loads(line)["passes"])), flush=True)


if __name__ == "__main__":
    main()
