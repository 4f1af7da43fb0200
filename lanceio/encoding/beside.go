package encoding

import (
	"context"
	"sync"

	"github.com/lanceflight/flightsrv/errs"
)

// maxFetches bounds the leaves of one field that are fetched at once.
const maxFetches = 8

// beside runs do for each of n parts of a field: side by side where each of them waits for the store, else one after the
// other, as then goroutines cost more than they gain: columns and windows of rows are already read side by side.
func beside(ctx context.Context, in Input, n int, do func(ctx context.Context, i int) error) error {
	if p, ok := in.(PromptInput); n == 1 || ok && p.Prompt() {
		for i := range n {
			if err := do(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	places := make(chan struct{}, maxFetches)
	for i := range n {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := contained(ctx, i, do); err != nil {
				cancel(err) // the first one stays the cause
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// contained is do, with a panic as an error: it would end the process, as it is on a goroutine of its own.
func contained(ctx context.Context, i int, do func(ctx context.Context, i int) error) (err error) {
	defer errs.Contain(&err)
	return do(ctx, i)
}
