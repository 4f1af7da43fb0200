package objstore

import (
	"context"
	"sync/atomic"
)

// Counting counts what passes through to the store below it.
type Counting struct {
	Store
	requests, bytes, opens atomic.Int64
}

// NewCounting wraps a store.
func NewCounting(s Store) *Counting { return &Counting{Store: s} }

// Requests is the number of ranges read so far.
func (c *Counting) Requests() int64 { return c.requests.Load() }

// Bytes is the number of bytes read so far.
func (c *Counting) Bytes() int64 { return c.bytes.Load() }

// Opens is the number of objects opened so far.
func (c *Counting) Opens() int64 { return c.opens.Load() }

// Open opens an object whose reads are counted.
func (c *Counting) Open(ctx context.Context, name string) (Reader, error) {
	r, err := c.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	c.opens.Add(1)
	return &countingReader{r, c}, nil
}

type countingReader struct {
	Reader
	c *Counting
}

func (r *countingReader) ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error) {
	for _, rg := range ranges {
		r.c.requests.Add(1)
		r.c.bytes.Add(rg.Size)
	}
	return r.Reader.ReadRanges(ctx, ranges)
}

// Faulty answers with the errors that its hooks give, for tests. A nil hook finds no fault.
type Faulty struct {
	Store
	// OnOpen is asked before an object is opened.
	OnOpen func(name string) error
	// OnRead is asked before a range is read.
	OnRead func(ctx context.Context, name string, r Range) error
	// Mangle may give other bytes in place of those read; it must not change what it is handed.
	Mangle func(name string, r Range, data []byte) []byte
}

// Open opens an object whose reads may fail.
func (f *Faulty) Open(ctx context.Context, name string) (Reader, error) {
	if f.OnOpen != nil {
		if err := f.OnOpen(name); err != nil {
			return nil, err
		}
	}
	r, err := f.Store.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &faultyReader{r, f, name}, nil
}

type faultyReader struct {
	Reader
	f    *Faulty
	name string
}

func (r *faultyReader) ReadRanges(ctx context.Context, ranges []Range) ([][]byte, error) {
	if r.f.OnRead != nil {
		for _, rg := range ranges {
			if err := r.f.OnRead(ctx, r.name, rg); err != nil {
				return nil, err
			}
		}
	}
	got, err := r.Reader.ReadRanges(ctx, ranges)
	if err != nil || r.f.Mangle == nil {
		return got, err
	}
	out := make([][]byte, len(got))
	for i, data := range got {
		out[i] = r.f.Mangle(r.name, ranges[i], data)
	}
	return out, nil
}
