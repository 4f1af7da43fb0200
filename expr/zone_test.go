package expr_test

import (
	"testing"
	"time"

	"github.com/lanceflight/flightsrv/expr"
)

// TestWallTimes: times that clocks show twice, or never, are the instants that DuckDB 1.5 gives for them.
func TestWallTimes(t *testing.T) {
	for _, c := range []struct {
		zone, text string
		want       int64
	}{
		{"America/New_York", "2024-11-03 00:59:59", 1730609999},
		{"America/New_York", "2024-11-03 01:00:00", 1730613600},
		{"America/New_York", "2024-11-03 01:59:59", 1730617199},
		{"America/New_York", "2024-11-03 02:00:00", 1730617200},
		{"America/New_York", "2024-03-10 01:59:59", 1710053999},
		{"America/New_York", "2024-03-10 02:00:00", 1710054000},
		{"America/New_York", "2024-03-10 02:59:59", 1710057599},
		{"America/New_York", "2024-03-10 03:00:00", 1710054000},
		{"Europe/Oslo", "2024-03-31 02:30:00", 1711848600},
		{"Europe/Oslo", "2024-10-27 02:30:00", 1729992600},
		{"Australia/Lord_Howe", "2024-04-07 01:45:00", 1712416500},
		{"Australia/Lord_Howe", "2024-10-06 02:15:00", 1728143100},
		{"Pacific/Apia", "2011-12-29 23:59:59", 1325239199},
		{"Pacific/Apia", "2011-12-30 12:00:00", 1325282400}, // a day that was left out
		{"Pacific/Apia", "2011-12-31 00:00:00", 1325239200},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		l, err := expr.ParseTimestampTZ(c.text, loc)
		if err != nil {
			t.Errorf("%s in %s: %v", c.text, c.zone, err)
		} else if got := l.Value.(int64) / 1e6; got != c.want {
			t.Errorf("%s in %s is %d, want %d", c.text, c.zone, got, c.want)
		}
	}
}
