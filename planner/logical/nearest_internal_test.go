package logical

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"id", "lat", "lon", "sst", "temperature", "Temp", "__stats__:sst"}
	for _, c := range []struct {
		name, want string
		near       []string
	}{
		{"one letter left out", "la", []string{"lat", "id", "lon", "sst"}[:1]},
		{"two letters swapped", "lta", []string{"lat"}},
		{"another case", "LAT", []string{"lat"}},
		{"the start of a name", "temp", []string{"Temp", "temperature"}},
		{"nothing like it", "wavelength_of_light", nil},
		{"like a hidden column", "_stats_:sst", nil},
		{"a hidden column with a letter wrong", "__stat__:sst", []string{"__stats__:sst"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := nearest(c.want, names)
			if len(c.near) == 0 && len(got) > 0 {
				t.Fatalf("nearest(%q) = %v, want none", c.want, got)
			}
			for i, n := range c.near {
				if i >= len(got) || got[i] != n {
					t.Fatalf("nearest(%q) = %v, want %v first", c.want, got, c.near)
				}
			}
		})
	}
	if got := nearest("x", []string{"alpha", "beta"}); !slices.Equal(got, []string{"alpha", "beta"}) {
		t.Errorf("of few names all are given, got %v", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "acb", 1},        // a swap
		{"kitten", "sitting", 3}, // two replaced, one added
		{"é", "e", 1},            // characters, not bytes
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	long := strings.Repeat("a", 1<<20)
	if got := editDistance(long, "a"); got != maxDistanceRunes-1 {
		t.Errorf("long names are cut: got %d", got)
	}
}

func TestSplitKey(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"lance.main.t", []string{"lance", "main", "t"}},
		{`lance.main."dotted.name"`, []string{"lance", "main", "dotted.name"}},
		{`"a""b".s.t`, []string{`a"b`, "s", "t"}},
	} {
		if got := splitKey(c.name); !slices.Equal(got, c.want) {
			t.Errorf("splitKey(%s) = %q, want %q", c.name, got, c.want)
		}
	}
}
