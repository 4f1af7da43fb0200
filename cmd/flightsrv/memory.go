package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// idleHeapBytes is how much garbage-collected memory an idle server may keep.
	idleHeapBytes = 64 << 20
	idleTick      = 2 * time.Second
)

// returnMemory gives memory back to the system while the server is idle, until ctx ends: the runtime collects only when
// something allocates, or after two minutes, so that the batches of streams that were cut off would stay that long.
func returnMemory(ctx context.Context) {
	samples := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}, {Name: "/memory/classes/heap/objects:bytes"}}
	var cycles, freedAt uint64
	tick := time.NewTicker(idleTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(samples)
		now, heap := samples[0].Value.Uint64(), samples[1].Value.Uint64()
		if now == cycles && now != freedAt && heap > idleHeapBytes {
			debug.FreeOSMemory()
			metrics.Read(samples)
			now = samples[0].Value.Uint64()
			freedAt = now
		}
		cycles = now
	}
}
