package lanceio_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lanceflight/flightsrv/lanceio"
)

// lineageRows are the rows of a version of a table, as pylance reads them with all their special columns.
func lineageRows(t *testing.T, name string, version uint64) []map[string]string {
	t.Helper()
	var out []map[string]string
	for _, row := range wanted(t, name).rows {
		values := map[string]string{}
		for _, part := range strings.Fields(row) {
			key, value, _ := strings.Cut(part, "=")
			values[key] = value
		}
		if values["version"] == strconv.FormatUint(version, 10) {
			out = append(out, values)
		}
	}
	return out
}

func lineageText(row map[string]string) string {
	var parts []string
	for _, name := range []string{"id", "v", "_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version"} {
		parts = append(parts, name+"="+row[name])
	}
	return strings.Join(parts, " ")
}

// Ids and versions of rows after appends, deletions, updates, merges, compaction and an added column, in the manifest
// (lineage) and in hidden columns (spilled), at each version.
func TestLineage(t *testing.T) {
	filters := []struct {
		text string
		keep func(row map[string]uint64) bool
	}{
		{"_row_last_updated_at_version > 3", func(r map[string]uint64) bool { return r["_row_last_updated_at_version"] > 3 }},
		{"_row_created_at_version = 1 AND _row_last_updated_at_version <> 1", func(r map[string]uint64) bool {
			return r["_row_created_at_version"] == 1 && r["_row_last_updated_at_version"] != 1
		}},
		{"_row_created_at_version IN (2, 6)", func(r map[string]uint64) bool { return slices.Contains([]uint64{2, 6}, r["_row_created_at_version"]) }},
		{"_rowid IN (2, 5, 12, 62) OR _rowaddr < 3", func(r map[string]uint64) bool {
			return slices.Contains([]uint64{2, 5, 12, 62}, r["_rowid"]) || r["_rowaddr"] < 3
		}},
		{"_rowid BETWEEN 10 AND 30 AND id > 12", func(r map[string]uint64) bool { return r["_rowid"] >= 10 && r["_rowid"] <= 30 && r["id"] > 12 }},
		{"_ROWID = 5", func(r map[string]uint64) bool { return r["_rowid"] == 5 }},
	}
	for name, versions := range map[string]uint64{"lineage": 10, "spilled": 11} {
		for version := uint64(1); version <= versions; version++ {
			tab := open(t, name, lanceio.AtVersion(version))
			all := lineageRows(t, name, version)
			opts := []lanceio.ScanOption{
				lanceio.Columns(path("id"), path("v")), lanceio.WithRowID(), lanceio.WithRowAddress(), lanceio.WithRowVersions(),
			}
			t.Run(fmt.Sprintf("%s version %d", name, version), func(t *testing.T) {
				var want []string
				var ids []uint64
				for _, row := range all {
					want = append(want, lineageText(row))
					ids = append(ids, number(t, row["_rowid"]))
				}
				same(t, collect(t, tab, opts...).rows, want)
				slices.Reverse(ids)
				slices.Reverse(want)
				b, _, err := tab.TakeRows(t.Context(), checked(t), ids, opts...)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Release()
				same(t, texts(b), want)
			})
			for _, f := range filters {
				t.Run(fmt.Sprintf("%s version %d %s", name, version, f.text), func(t *testing.T) {
					var want []string
					for _, row := range all {
						numbers := map[string]uint64{}
						for key, value := range row {
							if key != "v" {
								numbers[key] = number(t, value)
							}
						}
						if f.keep(numbers) {
							want = append(want, lineageText(row))
						}
					}
					same(t, collect(t, tab, append(slices.Clone(opts), lanceio.Filter(f.text))...).rows, want)
				})
			}
		}
	}
}

func number(t *testing.T, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A table that records no versions gives 1 for each row, as pylance does.
func TestUnrecordedVersions(t *testing.T) {
	tab := open(t, "evolve_2_2")
	got := collect(t, tab, lanceio.Columns(), lanceio.WithRowVersions())
	want := slices.Repeat([]string{"_row_created_at_version=1 _row_last_updated_at_version=1"}, int(tab.Rows()))
	same(t, got.rows, want)
}
