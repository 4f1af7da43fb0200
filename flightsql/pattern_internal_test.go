package flightsql

import (
	"testing"
	"time"
)

func TestLikeMatch(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"%", "", true}, {"%", "anything", true}, {"a%", "a", true}, {"a%", "ab", true}, {"a%", "ba", false},
		{"%a", "bca", true}, {"%a%", "bcd", false}, {"_", "é", true}, {"_", "", false}, {"__", "a", false}, {"a_c", "abc", true},
		{`a\_c`, "abc", false}, {`a\_c`, "a_c", true}, {`a\%`, "a%", true}, {`a\%`, "ab", false}, {`\\`, `\`, true}, {`a\`, `a\`, true},
		{"%ab%ab%", "abxab", true}, {"%ab%ab%", "abxa", false}, {"a%b%c", "aXbYbZc", true}, {"A", "a", false},
	}
	for _, tt := range tests {
		if got := likeMatch(tt.pattern, tt.name); got != tt.want {
			t.Errorf("likeMatch(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

func TestKeptIsBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	k := newKept[int](3, 100, time.Minute, func() time.Time { return now })
	for i, key := range []string{"a", "b", "c", "d"} {
		k.put(key, i, 10)
	}
	if _, ok := k.get("a"); ok || k.size() != 3 {
		t.Errorf("4 put, 3 allowed: %d left", k.size())
	}
	if v, ok := k.get("b"); !ok || v != 1 {
		t.Errorf("b = %d, %v", v, ok)
	}
	k.put("e", 4, 80) // 110 bytes: c, the least recently used, goes
	if _, ok := k.get("c"); ok {
		t.Error("c is there, though there are too many bytes")
	}
	k.put("e", 5, 10)
	if k.bytes != 30 || k.size() != 3 {
		t.Errorf("%d bytes in %d", k.bytes, k.size())
	}
	now = now.Add(40 * time.Second)
	k.get("b")
	now = now.Add(40 * time.Second)
	if k.size() != 1 {
		t.Errorf("%d left, only b was used within a minute", k.size())
	}
	if !k.remove("b") || k.remove("b") || k.bytes != 0 {
		t.Errorf("%d bytes after the last was removed", k.bytes)
	}
	k.put("huge", 1, 1000)
	if k.size() != 1 {
		t.Error("the newest is kept, however large")
	}
}
