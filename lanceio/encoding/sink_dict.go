package encoding

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// dictSink gathers keys into the dictionaries of pages, which it joins into one. Pages of one writer mostly repeat one
// dictionary, which is then here once. Of the first dictionary all values are joined, of others those that keys are of;
// where these become too many for the keys, just those that some key is of stay.
type dictSink struct {
	width  int    // bytes of a key
	limit  uint64 // how many values the keys can tell apart
	values shape
	mem    memory.Allocator
	keys   byteBuf
	n      int
	parts  []*dictPart
	all    sink             // the joined dictionary's values
	index  map[string]int64 // of these, made when a second dictionary comes
}

// dictPart is a page's dictionary and where its values are in the joined one, -1 for those that are not; places is nil
// where all are at the same place.
type dictPart struct {
	dict   *values
	places []int64
}

// place is where value k is in the joined dictionary, -1 where it is not.
func (p *dictPart) place(k int) int64 {
	if p.places == nil {
		return int64(k)
	}
	return p.places[k]
}

func newDictSink(s shape, mem memory.Allocator, bound int) *dictSink {
	return &dictSink{width: s.width, limit: s.limit, values: s.parts[0], mem: mem, keys: byteBuf{mem: mem, max: bound}, all: newSink(s.parts[0], mem, bound)}
}

// part gives what is known of a dictionary.
func (s *dictSink) part(d *values) (*dictPart, error) {
	for _, p := range s.parts {
		if p.dict == d || sameValues(p.dict, d) {
			return p, nil
		}
	}
	p := &dictPart{dict: d}
	if len(s.parts) == 0 && uint64(d.n) <= s.limit {
		if err := s.all.append(d, 0, d.n); err != nil {
			return nil, err
		}
	} else {
		s.makeIndex()
		p.places = make([]int64, d.n)
		for k := range p.places {
			p.places[k] = -1
		}
	}
	s.parts = append(s.parts, p)
	return p, nil
}

// makeIndex makes the index of the joined values, from those of the first dictionary.
func (s *dictSink) makeIndex() {
	if s.index != nil {
		return
	}
	s.index = map[string]int64{}
	for _, p := range s.parts {
		for k := range p.dict.n {
			text := string(p.dict.value(k))
			if _, ok := s.index[text]; !ok {
				s.index[text] = int64(k)
			}
		}
	}
}

// join gives the place of a dictionary's value in the joined one, where it is put if it is not there.
func (s *dictSink) join(p *dictPart, k int) (int64, error) {
	text := string(p.dict.value(k))
	at, ok := s.index[text]
	if !ok {
		if uint64(s.all.len()) == s.limit {
			if err := s.compact(); err != nil {
				return 0, err
			}
		}
		at = int64(s.all.len())
		if uint64(at) >= s.limit {
			// Fewer rows may have fewer values.
			return 0, errs.New(errs.ErrResourceExhausted, "more than %d values in the dictionaries of several pages, which keys of %d bytes cannot tell", s.limit, s.width)
		}
		if err := s.all.append(p.dict, k, k+1); err != nil {
			return 0, err
		}
		s.index[text] = at
	}
	p.places[k] = at
	return at, nil
}

// compact drops the joined values that no key is of.
func (s *dictSink) compact() error {
	moved := make([]int64, s.all.len())
	for i := range moved {
		moved[i] = -1
	}
	keys := s.keys.bytes()
	used := make([]bool, len(moved))
	for i := range s.n {
		used[key(keys, 8*s.width, i)] = true
	}
	all := newSink(s.values, s.mem, s.keys.max)
	clear(s.index)
	for _, p := range s.parts {
		places := make([]int64, p.dict.n)
		for k := range places {
			at := p.place(k)
			places[k] = -1
			if at < 0 || !used[at] {
				continue
			}
			if moved[at] < 0 {
				moved[at] = int64(all.len())
				s.index[string(p.dict.value(k))] = moved[at]
				if err := all.append(p.dict, k, k+1); err != nil {
					all.release()
					return err
				}
			}
			places[k] = moved[at]
		}
		p.places = places
	}
	s.all.release()
	s.all = all
	for i := range s.n {
		s.put(keys, i, moved[key(keys, 8*s.width, i)])
	}
	return nil
}

// put writes key i.
func (s *dictSink) put(keys []byte, i int, at int64) {
	for j := range s.width {
		keys[i*s.width+j] = byte(at >> (8 * j))
	}
}

func sameValues(a, b *values) bool {
	return a.n == b.n && a.bits == b.bits && bytes.Equal(a.data, b.data) &&
		bytes.Equal(a.text.Offsets, b.text.Offsets) && bytes.Equal(a.text.Data, b.text.Data)
}

func (s *dictSink) append(v *values, from, to int) error {
	if v.dict == nil || v.bits != 8*s.width {
		return corruptf("keys of %d bits where the type has %d", v.bits, 8*s.width)
	}
	if err := checkKeys(v.data, v.bits, from, to, v.dict.n); err != nil {
		return err
	}
	p, err := s.part(v.dict)
	if err != nil {
		return err
	}
	if p.places == nil {
		out, err := s.keys.extend((to - from) * s.width)
		copy(out, v.data[from*s.width:to*s.width])
		s.n += to - from
		return err
	}
	// What was joined may move while keys come: s.n counts the keys that are written.
	out, err := s.keys.extend((to - from) * s.width)
	if err != nil {
		return err
	}
	for i := range to - from {
		k := int(key(v.data, v.bits, from+i))
		at := p.places[k]
		if at < 0 {
			if at, err = s.join(p, k); err != nil {
				return err
			}
		}
		s.put(out, i, at)
		s.n++
	}
	return nil
}

func (s *dictSink) repeat(*values, int) error {
	return errs.Unsupportedf("constant of a dictionary type")
}

func (s *dictSink) fill(n int) error {
	out, err := s.keys.extend(n * s.width)
	if err != nil {
		return err
	}
	clear(out)
	s.n += n
	return nil
}

func (s *dictSink) expect(n int) { s.keys.reserve(min(n*s.width, maxReserve)) }
func (s *dictSink) len() int     { return s.n }

func (s *dictSink) release() {
	s.keys.release()
	s.all.release()
}

func (s *dictSink) data(dt arrow.DataType, valid *memory.Buffer, nulls int) (arrow.ArrayData, error) {
	t, ok := storage(dt).(*arrow.DictionaryType)
	if !ok {
		return nil, errs.New(errs.ErrInternal, "%s is no dictionary type", dt)
	}
	if s.all.len() == 0 && nulls < s.n {
		// Keys beneath nulls of what is above are valid, and point at a value.
		if err := s.all.fill(1); err != nil {
			return nil, err
		}
	}
	dict, err := s.all.data(t.ValueType, nil, 0)
	if err != nil {
		return nil, err
	}
	defer dict.Release()
	out := array.NewData(dt, s.n, []*memory.Buffer{valid, s.keys.finish()}, nil, nulls, 0)
	out.SetDictionary(dict)
	return out, nil
}
