package cloud

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// errStalled ends an attempt whose answer does not go on.
var errStalled = errors.New("stalled")

// progressBytes is how much an attempt must have read for the count of attempts to begin anew.
const progressBytes = 64 << 10

// slowest is the least rate, in bytes a second, at which an answer must come in all.
const slowest = 16 << 10

// retry makes attempts until one goes well, or fails in a way that another would too. try tells how many bytes it got
// nearer to the goal.
func (o *Opener) retry(ctx context.Context, try func(ctx context.Context) (progress int64, err error)) error {
	pause := o.o.Pause
	var since int64
	for attempt := 1; ; attempt++ {
		n, err := o.attempt(ctx, try)
		var f *fault
		if err == nil || ctx.Err() != nil || !errors.As(err, &f) || !f.again {
			return err
		}
		if since += n; since >= progressBytes {
			attempt, since, pause = 1, 0, o.o.Pause
		}
		if attempt >= o.o.Attempts {
			return err
		}
		// Half of the pause is drawn at random, so that requests that failed together do not come back together.
		wait := time.NewTimer(pause/2 + rand.N(pause/2+1))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		}
		pause = min(2*pause, 100*o.o.Pause)
	}
}

// attempt makes one attempt in one of the places for requests.
func (o *Opener) attempt(ctx context.Context, try func(ctx context.Context) (int64, error)) (int64, error) {
	if err := o.places.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer o.places.Release(1)
	ctx, w := watch(ctx, o.o.Stall)
	defer w.stop()
	n, err := try(ctx)
	if err != nil && w.stalled() {
		err = broken(errStalled)
	}
	return n, err
}

// watcher ends an attempt that stalls.
type watcher struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	stall  time.Duration
	start  time.Time
}

type watchKey struct{}

func watch(ctx context.Context, stall time.Duration) (context.Context, *watcher) {
	w := &watcher{stall: stall, start: time.Now()}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(stall, func() { w.cancel(errStalled) })
	return context.WithValue(w.ctx, watchKey{}, w), w
}

func (w *watcher) stop() {
	w.timer.Stop()
	w.cancel(nil)
}

func (w *watcher) stalled() bool { return errors.Is(context.Cause(w.ctx), errStalled) }

// came tells that total bytes of the answer came so far: it may go on as long as they come fast enough in all.
func (w *watcher) came(total int64) {
	if time.Since(w.start) < 2*w.stall+time.Duration(total/slowest)*time.Second {
		w.timer.Reset(w.stall)
	}
}

// watcherOf gives the watcher of an attempt.
func watcherOf(ctx context.Context) *watcher { return ctx.Value(watchKey{}).(*watcher) }
