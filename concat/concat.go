// Package concat joins Arrow arrays of one type whose dictionaries may differ, at any depth.
//
// Arrow's own Concatenate joins the dictionaries of few types of values, and reads keys of null values.
package concat

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
)

// Arrays joins one or more arrays of one type. Where dictionaries differ, the joined one has each value that is used,
// once; more of them than the keys can tell apart is an errs.ErrResourceExhausted. The caller releases the result; the arrays
// stay the caller's.
func Arrays(arrs []arrow.Array, mem memory.Allocator) (arrow.Array, error) {
	dt := arrs[0].DataType()
	switch {
	case len(arrs) == 1:
		arrs[0].Retain()
		return arrs[0], nil
	case !hasDictionary(dt):
		return array.Concatenate(arrs, mem)
	}
	parts := make([]arrow.ArrayData, len(arrs))
	for i, a := range arrs {
		parts[i] = a.Data()
	}
	// Dictionaries are taken off, which leaves keys, and put back on what these are joined to.
	var own owner
	defer own.release()
	bare, dicts, err := own.strip(dt, parts, mem)
	if err != nil {
		return nil, err
	}
	keys := make([]arrow.Array, len(bare))
	for i, d := range bare {
		keys[i] = array.MakeFromData(d)
		own.add(keys[i])
	}
	joined, err := array.Concatenate(keys, mem)
	if err != nil {
		return nil, err
	}
	own.add(joined)
	d := own.dress(dt, joined.Data(), dicts)
	own.add(d)
	return array.MakeFromData(d), nil
}

// hasDictionary tells whether a type is a dictionary or has one in it.
func hasDictionary(dt arrow.DataType) bool {
	if _, ok := dt.(*arrow.DictionaryType); ok {
		return true
	}
	if nested, ok := dt.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if hasDictionary(f.Type) {
				return true
			}
		}
	}
	return false
}

// owner releases at last what was made on the way.
type owner []interface{ Release() }

func (o *owner) add(r interface{ Release() }) { *o = append(*o, r) }

func (o *owner) release() {
	for _, r := range *o {
		r.Release()
	}
}

// node holds the joined dictionary of a place in a type, and those of the places below it.
type node struct {
	dict  arrow.ArrayData
	below []*node
}

// strip gives arrays with the keys in place of dictionaries, which all point into one joined dictionary.
func (o *owner) strip(dt arrow.DataType, parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, *node, error) {
	if !hasDictionary(dt) {
		return parts, nil, nil
	}
	if t, ok := dt.(*arrow.DictionaryType); ok {
		return o.stripKeys(t, parts, mem)
	}
	bare := bareType(dt)
	n := &node{}
	children := make([][]arrow.ArrayData, len(parts))
	for i, f := range dt.(arrow.NestedType).Fields() {
		below := make([]arrow.ArrayData, len(parts))
		for p, d := range parts {
			below[p] = d.Children()[i]
		}
		got, c, err := o.strip(f.Type, below, mem)
		if err != nil {
			return nil, nil, err
		}
		n.below = append(n.below, c)
		for p := range parts {
			children[p] = append(children[p], got[p])
		}
	}
	out := make([]arrow.ArrayData, len(parts))
	for p, d := range parts {
		out[p] = array.NewData(bare, d.Len(), d.Buffers(), children[p], d.NullN(), d.Offset())
		o.add(out[p])
	}
	return out, n, nil
}

// stripKeys gives keys into one joined dictionary.
func (o *owner) stripKeys(t *arrow.DictionaryType, parts []arrow.ArrayData, mem memory.Allocator) ([]arrow.ArrayData, *node, error) {
	j, err := newJoiner(t, parts)
	if err != nil {
		return nil, nil, err
	}
	out := make([]arrow.ArrayData, len(parts))
	for i, d := range parts {
		buffers := d.Buffers()
		if j != nil {
			keys, err := j.keys(d, mem)
			if keys != nil {
				o.add(keys)
			}
			if err != nil {
				return nil, nil, err
			}
			buffers = []*memory.Buffer{buffers[0], keys}
		}
		out[i] = array.NewData(t.IndexType, d.Len(), buffers, nil, d.NullN(), d.Offset())
		o.add(out[i])
	}
	if j == nil {
		return out, &node{dict: parts[0].Dictionary()}, nil
	}
	dict, err := j.values.array(mem)
	if err != nil {
		return nil, nil, err
	}
	o.add(dict)
	return out, &node{dict: dict}, nil
}

// bareType is a type with the keys' types in place of dictionaries.
func bareType(dt arrow.DataType) arrow.DataType {
	field := func(f arrow.Field) arrow.Field {
		f.Type = bareType(f.Type)
		return f
	}
	switch t := dt.(type) {
	case *arrow.DictionaryType:
		return t.IndexType
	case *arrow.StructType:
		fields := make([]arrow.Field, t.NumFields())
		for i, f := range t.Fields() {
			fields[i] = field(f)
		}
		return arrow.StructOf(fields...)
	case *arrow.MapType:
		return arrow.MapOfFields(field(t.KeyField()), field(t.ItemField()))
	case *arrow.ListType:
		return arrow.ListOfField(field(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(field(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), field(t.ElemField()))
	}
	return dt
}

// dress puts dictionaries back where they belong. What it gives and is not d is the caller's to release.
func (o *owner) dress(dt arrow.DataType, d arrow.ArrayData, n *node) arrow.ArrayData {
	if n == nil {
		return d
	}
	if n.dict != nil {
		return array.NewDataWithDictionary(dt, d.Len(), d.Buffers(), d.NullN(), d.Offset(), n.dict.(*array.Data))
	}
	children := make([]arrow.ArrayData, len(n.below))
	for i, f := range dt.(arrow.NestedType).Fields() {
		children[i] = o.dress(f.Type, d.Children()[i], n.below[i])
		if children[i] != d.Children()[i] {
			o.add(children[i])
		}
	}
	return array.NewData(dt, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// joiner puts the values of several dictionaries into one.
type joiner struct {
	t      *arrow.DictionaryType
	width  int // bytes of a key
	limit  int // how many values keys can tell apart
	index  map[string]int
	null   int // the place of the null value, -1 where it has none yet
	values builder
	places map[arrow.ArrayData][]int // of the values of a dictionary, -1 where it has none yet
}

// newJoiner gives nil where all parts have one dictionary.
func newJoiner(t *arrow.DictionaryType, parts []arrow.ArrayData) (*joiner, error) {
	first, same := parts[0].Dictionary(), true
	for _, d := range parts[1:] {
		if d.Dictionary() != first {
			same = false
		}
	}
	if same {
		return nil, nil
	}
	width := t.IndexType.(arrow.FixedWidthDataType).BitWidth() / 8
	bits := 8 * width
	if !arrow.IsUnsignedInteger(t.IndexType.ID()) {
		bits--
	}
	values, err := newBuilder(t.ValueType)
	if err != nil {
		return nil, err
	}
	return &joiner{t: t, width: width, limit: 1 << min(bits, 31), index: map[string]int{}, null: -1, values: values, places: map[arrow.ArrayData][]int{}}, nil
}

// keys gives the keys of an array into the joined dictionary, from the start of its buffers on.
func (j *joiner) keys(d arrow.ArrayData, mem memory.Allocator) (*memory.Buffer, error) {
	dict := array.MakeFromData(d.Dictionary())
	defer dict.Release()
	places, ok := j.places[d.Dictionary()]
	if !ok {
		places = make([]int, dict.Len())
		for i := range places {
			places[i] = -1
		}
		j.places[d.Dictionary()] = places
	}
	buf := memory.NewResizableBuffer(mem)
	buf.Resize((d.Offset() + d.Len()) * j.width)
	out := buf.Bytes()
	clear(out)
	if d.Len() == 0 {
		return buf, nil
	}
	arr := array.MakeFromData(d)
	defer arr.Release()
	keys := arr.(*array.Dictionary)
	for i := range d.Len() {
		if keys.IsNull(i) {
			continue
		}
		k := keys.GetValueIndex(i)
		if k < 0 || k >= len(places) {
			return buf, errs.New(errs.ErrCorrupt, "key %d into a dictionary of %d", k, len(places))
		}
		if places[k] < 0 {
			at, err := j.place(dict, k)
			if err != nil {
				return buf, err
			}
			places[k] = at
		}
		for b, at := 0, (d.Offset()+i)*j.width; b < j.width; b++ {
			out[at+b] = byte(uint64(places[k]) >> (8 * b))
		}
	}
	return buf, nil
}

// place gives the place of a dictionary's value in the joined one.
func (j *joiner) place(dict arrow.Array, k int) (int, error) {
	if dict.IsNull(k) || dict.DataType().ID() == arrow.NULL {
		if j.null < 0 {
			j.null = j.values.n
			j.values.appendNull()
		}
		return j.null, j.fits()
	}
	value := j.values.bytes(dict, k)
	at, ok := j.index[string(value)]
	if !ok {
		at = j.values.n
		j.index[string(value)] = at
		j.values.append(value)
	}
	return at, j.fits()
}

func (j *joiner) fits() error {
	if j.values.n > j.limit {
		return errs.New(errs.ErrResourceExhausted, "dictionaries of more than %d values together, which keys of type %s cannot tell apart", j.limit, j.t.IndexType)
	}
	return nil
}
