package scan_test

import (
	"strconv"
	"testing"

	"github.com/lanceflight/flightsrv/scan"
)

func TestOID(t *testing.T) {
	if got := scan.OID("lance", "main", "shops"); got != scan.OID("lance", "main", "shops") || got < 1<<52 || got >= 1<<53 {
		t.Errorf("%d", got)
	}
	seen := map[int64]string{}
	for _, name := range [][]string{{"a"}, {"a", "b"}, {"ab"}, {"a.b"}, {"a", "b", ""}, {"", "a", "b"}, {"A"}, {"é"}} {
		n := scan.OID(name...)
		if seen[n] != "" {
			t.Errorf("%q has the number of %s", name, seen[n])
		}
		seen[n] = name[0]
	}
	for i := range 200_000 {
		n := scan.OID("lance", "main", strconv.Itoa(i))
		if seen[n] != "" {
			t.Fatalf("%d has the number of %s", i, seen[n])
		}
		seen[n] = strconv.Itoa(i)
	}
}
