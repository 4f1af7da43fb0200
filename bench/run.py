"""Compares lanceio with pylance on the same files, in turns.

    python run.py [--only REGEX] [--rounds 5] [--threads N] [--write]

Each side of a workload is a process of its own, which opens the table once and makes a first pass that does not count.
Then both sides run in turn, each for about --seconds a round. The ratio of a workload is the median, over the rounds, of
lanceio's throughput by pylance's in the same round.
"""

import argparse
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa

import data

HERE = Path(__file__).resolve().parent
SEED = 7


def scans():
    by_type = {
        "int64": ("scalars", ["i64"]),
        "int64 ascending": ("scalars", ["seq"]),
        "float64": ("scalars", ["f64"]),
        "bool, nulls": ("scalars", ["bool"]),
        "timestamp, nulls": ("scalars", ["ts"]),
        "decimal128": ("scalars", ["dec"]),
        "utf8 short": ("scalars", ["short"]),
        "utf8 long": ("long", ["long"]),
        "utf8, 40 values": ("scalars", ["kind"]),
        "dictionary type": ("scalars", ["dict"]),
        "all scalars": ("scalars", ["i64", "seq", "f64", "bool", "ts", "dec", "short", "kind"]),
        "struct, nulls": ("nested", ["record"]),
        "list of 5 int32": ("nested", ["five"]),
        "list of structs": ("nested", ["things"]),
        "fixed-size list 128 float32": ("vectors", ["vec"]),
        "binary 16 KiB": ("blobs", ["blob"]),
        "n-d arrays (lists of 256 float32)": ("nd", ["sst"]),
        "leaf of 50 nested columns": ("wide", ["c17.deep.x"]),
        "all of 50 nested columns": ("wide", [f"c{i:02d}" for i in range(50)]),
    }
    for version in data.VERSIONS:
        for name, (table, columns) in by_type.items():
            yield f"scan {name}, {version}", {"op": "scan", "table": f"{version}/{table}", "columns": columns}


def selective_scans():
    # Latitudes of the tiles' rows are uniform in [-90, 90].
    for name, low, high in [("0.1%", 89.75, 89.8), ("4%", 10.0, 13.0), ("20%", -10.0, 22.5), ("100%", -91.0, 91.0)]:
        for version in data.VERSIONS:
            yield f"n-d scan, lat.values BETWEEN keeps about {name}, {version}", {
                "op": "scan",
                "table": f"{version}/nd",
                "columns": ["id", "sst"],
                "between": {"variable": "lat", "low": low, "high": high},
                "pylance_filter": f"`__stats__:lat`.min <= {high} AND `__stats__:lat`.max >= {low}",
            }


def takes(rows):
    columns = {
        "scalars": ["i64", "f64", "short", "kind"],
        "nested": ["record", "five", "things"],
        "vectors": ["vec"],
        "blobs": ["blob"],
        "nd": ["sst"],
    }
    for version in data.VERSIONS:
        for table, names in columns.items():
            for n in [1, 100, 10_000]:
                if n > rows[table] or table == "blobs" and n > 1000:
                    continue
                rng = np.random.default_rng([SEED, n])
                sets = 50 if n < 1000 else 5
                indices = [rng.integers(0, rows[table], n).tolist() for _ in range(sets)]
                yield f"take {n} of {table}, {version}", {"op": "take", "table": f"{version}/{table}", "columns": names, "indices": indices}


class Side:
    """A process that runs one workload when asked."""

    def __init__(self, command, spec, threads):
        env = dict(os.environ, GOMAXPROCS=str(threads), LANCE_CPU_THREADS=str(threads), TOKIO_WORKER_THREADS=str(threads))
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.p.stdin.write(json.dumps(spec) + "\n")

    def run(self, passes):
        self.p.stdin.write(json.dumps({"passes": passes}) + "\n")
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        if not line:
            raise RuntimeError("a side of the benchmark ended")
        got = json.loads(line)
        per = {k: got[k] / passes for k in ("wall", "cpu", "rows", "bytes", "requests")}
        return per | {"peak_kb": got["peak_kb"]}

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def measure(spec, args):
    sides = {
        "lanceio": Side([str(args.binary)], spec, args.threads),
        "pylance": Side([sys.executable, str(HERE / "worker.py")], spec, args.threads),
    }
    try:
        passes, rounds = {}, {k: [] for k in sides}
        for k, s in sides.items():
            s.run(1)
            passes[k] = max(1, int(args.seconds / s.run(1)["wall"]))
        for i in range(args.rounds):
            for k in list(sides)[:: 1 if i % 2 else -1]:
                rounds[k].append(sides[k].run(passes[k]))
    finally:
        for s in sides.values():
            s.close()
    rows = {k: {r["rows"] for r in v} for k, v in rounds.items()}
    if spec["op"] == "scan" and (len(set.union(*rows.values())) != 1):
        raise RuntimeError(f"the sides disagree on the rows: {rows}")
    return rounds


def median(rounds, key):
    return statistics.median(r[key] for r in rounds)


def ratio(rounds, key):
    return statistics.median(p[key] / max(g[key], 1e-9) for g, p in zip(rounds["lanceio"], rounds["pylance"]))


def seconds(x):
    return f"{x * 1e3:.2f}" if x < 0.01 else f"{x * 1e3:.1f}"


def row(name, rounds):
    g, p = rounds["lanceio"], rounds["pylance"]
    both = [name, f"{ratio(rounds, 'wall'):.2f}", f"{ratio(rounds, 'cpu'):.2f}"]
    for key, show in [("wall", seconds), ("cpu", seconds), ("peak_kb", lambda v: f"{v / 1024:.0f}"), ("bytes", lambda v: f"{v / 1e6:.2f}"), ("requests", lambda v: f"{v:.0f}")]:
        both += [show(median(g, key)), show(median(p, key))]
    return "| " + " | ".join(both) + " |"


HEAD = """| workload | throughput ratio | CPU ratio | wall ms | pylance | CPU ms | pylance | peak MiB | pylance | MB read | pylance | requests | pylance |
|---|---|---|---|---|---|---|---|---|---|---|---|---|"""


def report(lines, ratios, args):
    below = [n for n, r in ratios.items() if r < 0.8]
    go = subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return f"""# lanceio beside pylance

Written by `make bench`. Throughput ratio is lanceio ÷ pylance, higher is better, 1 is equal; CPU ratio is pylance's CPU time
by lanceio's. What is counted is one pass: a whole scan, or one take. Both sides run warm and in turns, {args.rounds} rounds;
`run.py` tells how. Peak is the resident memory of the process during the passes, of which an idle pylance takes
about 150 MiB. pylance counts bytes and requests behind its caches, lanceio all ranges that it asks the store for.

- {datetime.date.today()}: {args.threads} threads each on {os.cpu_count()} cores ({cpu_model()}), {platform.system()} {platform.release()}
- lanceio built by {go}; pylance {lance.__version__}, pyarrow {pa.__version__}, Python {platform.python_version()}
- {len(ratios)} workloads, geometric mean of the ratios {statistics.geometric_mean(ratios.values()):.2f}, least {min(ratios.values()):.2f}; below 0.8: {", ".join(below) or "none"}

{HEAD}
""" + "\n".join(lines) + "\n"


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M) if Path("/proc/cpuinfo").exists() else None
    return found[1] if found else platform.processor()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--only", default="", help="run just the workloads whose name this regular expression finds")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.2, help="of a side's round, about")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--scale", type=float, default=1.0, help="of the data")
    p.add_argument("--data", type=Path, default=HERE / ".data")
    p.add_argument("--binary", type=Path, default=HERE.parent / "bin" / "bench")
    p.add_argument("--write", action="store_true", help="write RESULTS.md")
    args = p.parse_args()
    data.make(args.data, args.scale)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: args.threads])  # both sides inherit it
    rows = {t: lance.dataset(args.data / data.VERSIONS[0] / f"{t}.lance").count_rows() for t in data.TABLES}
    lines, ratios = [], {}
    print(HEAD)
    for name, spec in [*scans(), *selective_scans(), *takes(rows)]:
        if not re.search(args.only, name):
            continue
        spec["table"] = str(args.data / f"{spec['table']}.lance")
        rounds = measure(spec, args)
        ratios[name] = ratio(rounds, "wall")
        lines.append(row(name, rounds))
        print(lines[-1], flush=True)
    if args.write:
        (HERE / "RESULTS.md").write_text(report(lines, ratios, args))


if __name__ == "__main__":
    main()
