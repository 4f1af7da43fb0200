// Package alloctest bounds what code under test allocates. It is for tests, above all for those that fuzzing drives: a
// decoder must not make room that hostile bytes ask for, and that nothing stands behind.
package alloctest

import (
	"runtime/metrics"
	"testing"
)

// allocated is the counter of bytes that were ever allocated on the heap.
const allocated = "/gc/heap/allocs:bytes"

// Slack is what is allocated whatever the input, in bytes: tables of decompressors, buffers that are kept.
const Slack = 16 << 20

// Within runs f and fails the test where it allocates more than limit bytes and Slack in all, garbage included. Nothing
// else may run meanwhile.
func Within(t testing.TB, limit uint64, f func()) {
	t.Helper()
	sample := []metrics.Sample{{Name: allocated}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	if n := sample[0].Value.Uint64() - before; n > limit+Slack {
		t.Errorf("%d bytes were allocated, at most %d are expected", n, limit+Slack)
	}
}
