package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// idleHeapBytes is how much garbage-collected memory an idle server may keep.
	idleHeapBytes = 64 << 20
	idleTick      = 2 * time.Second
	// heapFloor is a heap size below which the garbage collector does not bother.
	heapFloor = 24 << 20
)

// raiseHeapFloor keeps the garbage collector from running all the time: it runs when the heap has doubled, and the heap of
// a server that streams is a few windows of rows, so that every window would bring a collection. What is given counts as
// heap but is never touched, so that the system backs it with no memory; it lasts until it is dropped.
func raiseHeapFloor() []byte { return make([]byte, heapFloor) }

// manageMemory raises the heap's floor and gives memory back to the system while the server is idle, until ctx ends: the runtime collects only when
// something allocates, or after two minutes, so that the batches of streams that were cut off would stay that long.
func manageMemory(ctx context.Context) {
	floor := raiseHeapFloor()
	defer runtime.KeepAlive(floor)
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
		if now == cycles && now != freedAt && heap > idleHeapBytes+heapFloor {
			debug.FreeOSMemory()
			metrics.Read(samples)
			now = samples[0].Value.Uint64()
			freedAt = now
		}
		cycles = now
	}
}
