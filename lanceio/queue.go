package lanceio

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"golang.org/x/sync/semaphore"
)

// batchQueue hands batches from the goroutine that makes them to the one that takes them, with a bound on their bytes.
type batchQueue struct {
	ch    chan queued
	sem   *semaphore.Weighted
	bytes int64
}

type queued struct {
	batch arrow.RecordBatch
	bytes int64
}

func newBatchQueue(bytes int64) *batchQueue {
	// The count is bounded too, as a batch without columns has no bytes.
	return &batchQueue{ch: make(chan queued, 64), sem: semaphore.NewWeighted(bytes), bytes: bytes}
}

// put gives the batch away, also when it fails.
func (q *batchQueue) put(ctx context.Context, b arrow.RecordBatch, bytes int64) error {
	bytes = min(bytes, q.bytes)
	if err := q.sem.Acquire(ctx, bytes); err != nil {
		b.Release()
		return err
	}
	select {
	case q.ch <- queued{b, bytes}:
		return nil
	case <-ctx.Done():
		q.sem.Release(bytes)
		b.Release()
		return ctx.Err()
	}
}

// taken tells that the consumer has what it received.
func (q *batchQueue) taken(item queued) { q.sem.Release(item.bytes) }

// drain releases what nobody will take. The producer must have ended, and closed the channel.
func (q *batchQueue) drain() {
	for item := range q.ch {
		item.batch.Release()
		q.taken(item)
	}
}
