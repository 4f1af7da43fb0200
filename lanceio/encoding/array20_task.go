package encoding

import "context"

// task20 is a piece of decoding that waits for bytes: next gets those of need, in order, and gives what is to do then. A
// task whose next is nil is done.
type task20 struct {
	need []BufferRange
	next func(got [][]byte) (task20, error)
	done *values20
}

// done20 is a task that has its values already.
func done20(v *values20) task20 { return task20{done: v} }

// step gives a task its bytes.
func (t task20) step(got [][]byte) (task20, error) {
	if t.next == nil {
		return t, nil
	}
	return t.next(got)
}

// join20 is the task of doing all of tasks, and then what f makes of their values.
func join20(tasks []task20, f func([]*values20) (task20, error)) (task20, error) {
	var need []BufferRange
	waiting := false
	for _, t := range tasks {
		need = append(need, t.need...)
		waiting = waiting || t.next != nil
	}
	if !waiting {
		values := make([]*values20, len(tasks))
		for i, t := range tasks {
			values[i] = t.done
		}
		return f(values)
	}
	return task20{need: need, next: func(got [][]byte) (task20, error) {
		after := make([]task20, len(tasks))
		for i, t := range tasks {
			var err error
			if after[i], err = t.step(got[:len(t.need)]); err != nil {
				return task20{}, err
			}
			got = got[len(t.need):]
		}
		return join20(after, f)
	}}, nil
}

// then20 is the task of doing t, and then what f makes of its values.
func then20(t task20, err error, f func(*values20) (task20, error)) (task20, error) {
	if err != nil {
		return task20{}, err
	}
	return join20([]task20{t}, func(v []*values20) (task20, error) { return f(v[0]) })
}

// readRanges reads into the arena where the input can.
func (c *column20) readRanges(ctx context.Context, need []BufferRange) ([][]byte, error) {
	if in, ok := c.in.(IntoInput); ok {
		return in.ReadInto(ctx, c.name, need, c.arena.alloc)
	}
	return c.in.ReadRanges(ctx, c.name, need)
}

// run does tasks side by side: each round is one read for all of them. The tasks' own errors name column and page.
func (c *column20) run(ctx context.Context, tasks []task20) ([]*values20, error) {
	var out []*values20
	all, err := join20(tasks, func(values []*values20) (task20, error) {
		out = values
		return task20{}, nil
	})
	for err == nil && all.next != nil {
		var got [][]byte
		if len(all.need) > 0 {
			if got, err = c.readRanges(ctx, all.need); err != nil {
				return nil, c.wrap(err)
			}
		}
		all, err = all.next(got)
	}
	return out, err
}
