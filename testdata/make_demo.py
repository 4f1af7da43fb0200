"""Writes the demo tables: sst (n-d arrays with stats), events (nested records), worked (the four-row example).

    python make_demo.py OUT_DIR

The values are seeded, so each run writes the same rows; file names and commit times are Lance's own.
OUT_DIR/NAME.lance is written with pylance in its default file version. expected.json, written beside this script with
--expected, holds answers computed from the Python values, never from a reader of the tables.
"""

import argparse
import datetime as dt
import json
import shutil
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa

SEED = 20240501
TILES = 320
SIDE = 12


def variable(dtype, attrs):
    """The type of an n-d array column whose elements are dtype."""
    return pa.struct(
        [
            ("values", pa.list_(dtype)),
            ("dim_names", pa.list_(pa.utf8())),
            ("dim_sizes", pa.list_(pa.uint32())),
            ("attrs", attrs),
        ]
    )


VARIABLES = {
    "lat": variable(pa.float64(), pa.struct([("units", pa.utf8())])),
    "lon": variable(pa.float64(), pa.struct([("units", pa.utf8())])),
    "time": variable(pa.timestamp("us"), pa.struct([("calendar", pa.utf8())])),
    "sst": variable(pa.float32(), pa.struct([("units", pa.utf8()), ("valid_min", pa.float32())])),
    "chl": variable(pa.float32(), pa.struct([("units", pa.utf8())])),
}


def stats_of(array):
    """min and max over the values that are neither null nor NaN; None for a row that lacks the variable."""
    if array is None:
        return None
    counting = [v for v in array["values"] if v is not None and v == v]
    if not counting:
        return {"min": None, "max": None}
    return {"min": min(counting), "max": max(counting)}


def nd_array(values, names, sizes, attrs):
    return {"values": values, "dim_names": names, "dim_sizes": sizes, "attrs": attrs}


def tile(i, rng):
    """One row: a tile of SIDE x SIDE points on one day. Every 16th lacks sst, every 20th has only NaN."""
    lat0 = -80.0 + 160.0 * ((i * 37) % TILES) / TILES
    lon0 = -180.0 + 360.0 * ((i * 101) % TILES) / TILES
    lats = [lat0 + 0.25 * k for k in range(SIDE)]
    lons = [lon0 + 0.25 * k for k in range(SIDE)]
    day = dt.datetime(2024, 1, 1) + dt.timedelta(days=i)
    celsius = i % 3 == 2
    sst = None
    if i % 16 != 5:
        mid = 300.0 - abs(lat0) * 0.35 - (273.15 if celsius else 0)
        grid = np.float32(mid + rng.normal(0, 0.8, SIDE * SIDE)).tolist()
        if i % 20 == 7:
            grid = [float("nan")] * (SIDE * SIDE)
        elif i % 4 == 0:
            grid[i % 11] = float("nan")
            grid[i % 13 + 20] = None
        units = "degC" if celsius else "K"
        sst = nd_array(grid, ["lat", "lon"], [SIDE, SIDE], {"units": units, "valid_min": -2.0 if celsius else 271.0})
    chl = nd_array(
        np.float32(np.abs(rng.normal(0.4, 0.3, 4))).tolist(), ["depth"], [4], {"units": "mg m-3"}
    )
    return {
        "id": i,
        "cruise": f"C{i // 40:02d}",
        "lat": nd_array(lats, ["lat"], [SIDE], {"units": "degrees_north"}),
        "lon": nd_array(lons, ["lon"], [SIDE], {"units": "degrees_east"}),
        "time": nd_array([day, day + dt.timedelta(hours=6)], ["time"], [2], {"calendar": "standard"}),
        "sst": sst,
        "chl": chl if i % 9 else None,
    }


def sst_schema(names):
    """Field order: id, cruise, then each variable followed by its stats, then the global attributes."""
    fields = [pa.field("id", pa.int64()), pa.field("cruise", pa.utf8())]
    for name in names:
        kind = VARIABLES[name]
        element = kind.field("values").type.value_type
        fields.append(pa.field(name, kind, metadata={"ARROW:extension:name": "nd_arrow.array"}))
        fields.append(pa.field(f"__stats__:{name}", pa.struct([("min", element), ("max", element)])))
    fields.append(
        pa.field(
            "__global_attrs__",
            pa.struct([("title", pa.utf8()), ("institution", pa.utf8())]),
            metadata={"ARROW:extension:name": "nd_arrow.global_attributes"},
        )
    )
    return pa.schema(fields)


def rows_table(rows, names):
    schema = sst_schema(names)
    columns = []
    for field in schema:
        if field.name.startswith("__stats__:"):
            values = [stats_of(r[field.name.split(":", 1)[1]]) for r in rows]
        elif field.name == "__global_attrs__":
            values = [{"title": "Demo sea surface", "institution": "flightsrv"} for _ in rows]
        else:
            values = [r[field.name] for r in rows]
        columns.append(pa.array(values, field.type))
    return pa.table(columns, schema=schema)


def write_sst(path):
    """Five fragments; the first was written before chl existed and holds neither chl nor its stats."""
    rng = np.random.default_rng(SEED)
    rows = [tile(i, rng) for i in range(TILES)]
    old = [n for n in VARIABLES if n != "chl"]
    lance.write_dataset(rows_table(rows[:64], old), path)
    ds = lance.dataset(path)
    full = sst_schema(list(VARIABLES))
    ds.add_columns(pa.schema([full.field("chl"), full.field("__stats__:chl")]))
    for start in range(64, TILES, 64):
        part = rows_table(rows[start : start + 64], list(VARIABLES)).select(lance.dataset(path).schema.names)
        lance.write_dataset(part, path, mode="append")
    for r in rows[:64]:
        r["chl"] = None
    return rows


EVENT = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("seen", pa.timestamp("us", "UTC")),
        pa.field("kind", pa.utf8()),
        pa.field(
            "device",
            pa.struct(
                [
                    pa.field("model", pa.utf8()),
                    pa.field(
                        "os",
                        pa.struct(
                            [
                                pa.field("name", pa.utf8()),
                                pa.field(
                                    "build",
                                    pa.struct(
                                        [
                                            pa.field("number", pa.int32()),
                                            pa.field(
                                                "patch",
                                                pa.struct(
                                                    [pa.field("level", pa.int16()), pa.field("note", pa.utf8())]
                                                ),
                                            ),
                                        ]
                                    ),
                                ),
                            ]
                        ),
                    ),
                ]
            ),
        ),
        pa.field(
            "account",
            pa.struct(
                [
                    pa.field("id", pa.int64(), nullable=False),
                    pa.field("geo", pa.struct([pa.field("country", pa.utf8(), nullable=False)]), nullable=False),
                ]
            ),
            nullable=False,
        ),
        pa.field("tags", pa.list_(pa.utf8())),
        pa.field("items", pa.list_(pa.struct([("sku", pa.utf8()), ("qty", pa.int32())]))),
        pa.field("props", pa.map_(pa.utf8(), pa.utf8())),
    ]
)


def event(i, rng):
    note = None if i % 5 else f"note {i}"
    patch = None if i % 7 == 0 else {"level": i % 10, "note": note}
    build = None if i % 11 == 0 else {"number": 1000 + i, "patch": patch}
    system = None if i % 13 == 0 else {"name": ["linux", "mac", "win"][i % 3], "build": build}
    device = None if i % 17 == 0 else {"model": f"m{i % 6}", "os": system}
    items = [{"sku": f"s{k}", "qty": None if k == 2 else int(rng.integers(1, 9))} for k in range(i % 4)]
    return {
        "id": i,
        "seen": dt.datetime(2024, 5, 1, tzinfo=dt.timezone.utc) + dt.timedelta(minutes=17 * i),
        "kind": ["view", "click", "buy", None][i % 4],
        "device": device,
        "account": {"id": int(rng.integers(1, 60)), "geo": {"country": ["NO", "AT", "PT", "JP"][i % 4]}},
        "tags": None if i % 10 == 9 else [f"t{k}" for k in range(i % 3)],
        "items": None if i % 19 == 3 else items,
        "props": None if i % 8 == 7 else [(f"k{k}", f"v{i}") for k in range(i % 3)],
    }


def write_events(path):
    rng = np.random.default_rng(SEED + 1)
    rows = [event(i, rng) for i in range(1200)]
    table = pa.table([pa.array([r[f.name] for r in rows], f.type) for f in EVENT], schema=EVENT)
    lance.write_dataset(table, path, max_rows_per_file=400)
    ds = lance.dataset(path)
    ds.delete("id >= 100 AND id < 110")
    return [r for r in rows if not 100 <= r["id"] < 110]


def write_worked(path):
    """lat min/max -90/-80, 17/30, absent, null/null."""
    lats = [[-90.0, -85.5, -80.0], [17.0, 22.0, 30.0, None], None, [float("nan"), None]]
    rows = [
        {"id": i, "lat": v and nd_array(v, ["x"], [len(v)], {"units": "degrees_north"})} for i, v in enumerate(lats)
    ]
    lat = variable(pa.float64(), pa.struct([("units", pa.utf8())]))
    schema = pa.schema(
        [
            pa.field("id", pa.int64()),
            pa.field("lat", lat, metadata={"ARROW:extension:name": "nd_arrow.array"}),
            pa.field("__stats__:lat", pa.struct([("min", pa.float64()), ("max", pa.float64())])),
        ]
    )
    columns = [
        pa.array([r["id"] for r in rows], pa.int64()),
        pa.array([r["lat"] for r in rows], lat),
        pa.array([stats_of(r["lat"]) for r in rows], schema.field("__stats__:lat").type),
    ]
    lance.write_dataset(pa.table(columns, schema=schema), path)
    return rows


def answers(sst, events):
    """Answers to the README's and the tests' queries, from the Python values alone."""
    both = lambda r, lo, hi: r["max"] >= lo and r["min"] <= hi

    def keep_between(row, name, lo, hi):
        s = stats_of(row[name])
        return s is not None and (s["min"] is None or both(s, lo, hi))

    tropics = [
        r["id"]
        for r in sst
        if keep_between(r, "lat", 17.5, 25.4) and r["sst"] is not None and r["sst"]["attrs"]["units"] == "K"
    ]
    warm = [r["id"] for r in sst if (s := stats_of(r["sst"])) and (s["max"] is None or s["max"] > 295.0)]
    chl = [r["id"] for r in sst if (s := stats_of(r["chl"])) and (s["max"] is None or s["max"] > 1.0)]

    def level(r):
        for k in ("os", "build", "patch"):
            r = r and r[k]
        return r and r["level"]

    deep = [r["id"] for r in events if (n := level(r["device"])) is not None and n > 7]
    countries = {}
    for r in events:
        if level(r["device"]) == 4:
            c = r["account"]["geo"]["country"]
            countries[c] = countries.get(c, 0) + 1
    kinds = {}
    for r in events:
        kinds[r["kind"] or ""] = kinds.get(r["kind"] or "", 0) + 1
    return {"tropics_kelvin": tropics, "warm": warm, "chl": chl, "deep_patch": deep, "kinds": kinds, "level_4_by_country": countries}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--expected", type=Path, help="file for the answers")
    args = parser.parse_args()
    made = {}
    for name, write in (("sst", write_sst), ("events", write_events), ("worked", write_worked)):
        path = args.out / f"{name}.lance"
        shutil.rmtree(path, ignore_errors=True)
        made[name] = write(str(path))
    if args.expected:
        args.expected.write_text(json.dumps(answers(made["sst"], made["events"]), indent=1) + "\n")


if __name__ == "__main__":
    main()
