package cells

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/ndarray"
)

// Bounds of what rows may say.
const (
	maxDims = 10_000  // different dimensions of a table
	maxAxes = 256     // dimensions of a row
	maxName = 1 << 10 // bytes of a dimension's name
)

// names numbers dimensions.
type names struct {
	list   []string
	byName map[string]int
	// closed: a name that is not there is an error.
	closed bool
}

func (n *names) id(name string) (int, error) {
	if id, ok := n.byName[name]; ok {
		return id, nil
	}
	if len(name) > maxName {
		return 0, errs.New(errs.ErrCorrupt, "has a dimension whose name is of %d bytes, at most %d are taken", len(name), maxName)
	}
	if n.closed {
		return 0, errs.New(errs.ErrInternal, "dimension %q was not there when the columns were settled", name)
	}
	if len(n.list) == maxDims {
		return 0, errs.Unsupportedf("the rows have more than %d different dimensions, too many to be columns", maxDims)
	}
	if n.byName == nil {
		n.byName = map[string]int{}
	}
	name = string([]byte(name)) // it may lie in a batch
	n.byName[name] = len(n.list)
	n.list = append(n.list, name)
	return len(n.list) - 1, nil
}

// axis is a dimension of a row.
type axis struct {
	dim  int // its number
	size int64
}

// shape is what rows look like that have the same dimensions.
type shape struct {
	axes  []axis
	cells int64
	vars  []placement
}

// placement is how the values of a variable lie in the cells. Its strides, one for each axis, count values; they are 0
// along axes that the variable lacks.
type placement struct {
	present bool
	count   int64 // of values
	strides []int64
}

// stridesOf gives the strides of the place along a dimension.
func (s *shape) stridesOf(dim int) (strides []int64, ok bool) {
	at := slices.IndexFunc(s.axes, func(a axis) bool { return a.dim == dim })
	if at < 0 {
		return nil, false
	}
	strides = make([]int64, len(s.axes))
	strides[at] = 1
	return strides, true
}

// shaper works the shapes of a batch's rows out.
type shaper struct {
	vars  []ndarray.Variable
	names *names
	cols  []dimColumn // of the batch, by variable

	last *shape // of the row before, which most rows share
	key  []int64
	next []int64
}

// dimColumn is the dimensions of one variable.
type dimColumn struct {
	variable *array.Struct
	names    array.ListLike
	sizes    array.ListLike
	name     func(i int) string
	size     func(i int) int64
}

// absent stands in keys for a variable that the row lacks.
const absent = -1

// load takes the columns of a batch, each a struct that holds dim_names and dim_sizes.
func (s *shaper) load(batch arrow.RecordBatch) error {
	s.cols = s.cols[:0]
	for _, v := range s.vars {
		at := batch.Schema().FieldIndices(v.Name)
		if len(at) != 1 {
			return errs.New(errs.ErrInternal, "the rows come without variable %s", expr.QuoteIdent(v.Name))
		}
		st, ok := storage(batch.Column(at[0])).(*array.Struct)
		if !ok {
			return errs.New(errs.ErrInternal, "variable %s is no struct", expr.QuoteIdent(v.Name))
		}
		c := dimColumn{variable: st}
		c.names, c.sizes = listIn(st, ndarray.DimNamesField), listIn(st, ndarray.DimSizesField)
		if c.names == nil || c.sizes == nil {
			return errs.New(errs.ErrInternal, "variable %s comes without its dimensions", expr.QuoteIdent(v.Name))
		}
		c.name, c.size = textsOf(c.names.ListValues()), integersOf(c.sizes.ListValues())
		if c.name == nil || c.size == nil {
			return errs.Unsupportedf("variable %s has dimensions of types %s and %s", expr.QuoteIdent(v.Name), c.names.DataType(), c.sizes.DataType())
		}
		s.cols = append(s.cols, c)
	}
	return nil
}

// row gives the shape of a row, which may be that of the row before.
func (s *shaper) row(i int) (*shape, error) {
	s.next = s.next[:0]
	for v := range s.cols {
		if err := s.describe(v, i); err != nil {
			return nil, variableError(s.vars[v], err)
		}
	}
	if s.last != nil && slices.Equal(s.next, s.key) {
		return s.last, nil
	}
	out, err := s.shape()
	if err != nil {
		return nil, err
	}
	s.last, s.key = out, append(s.key[:0], s.next...)
	return out, nil
}

func variableError(v ndarray.Variable, err error) error {
	return fmt.Errorf("variable %s %w", expr.QuoteIdent(v.Name), err)
}

// describe adds a variable of a row to the key: the number of its dimensions, then name and size of each.
func (s *shaper) describe(v, i int) error {
	c := &s.cols[v]
	if c.variable.IsNull(i) || c.names.IsNull(i) && c.sizes.IsNull(i) {
		s.next = append(s.next, absent)
		return nil
	}
	if c.names.IsNull(i) || c.sizes.IsNull(i) {
		return errs.New(errs.ErrCorrupt, "has either the names or the sizes of its dimensions, not both")
	}
	n0, n1 := c.names.ValueOffsets(i)
	s0, s1 := c.sizes.ValueOffsets(i)
	if n1-n0 != s1-s0 || n1-n0 > maxAxes {
		return errs.New(errs.ErrCorrupt, "names %d dimensions and has %d sizes", n1-n0, s1-s0)
	}
	s.next = append(s.next, n1-n0)
	start := len(s.next)
	for k := range n1 - n0 {
		if c.names.ListValues().IsNull(int(n0+k)) || c.sizes.ListValues().IsNull(int(s0+k)) {
			return errs.New(errs.ErrCorrupt, "has a dimension without a name or a size")
		}
		name, size := c.name(int(n0+k)), c.size(int(s0+k))
		if size < 0 {
			return errs.New(errs.ErrCorrupt, "has a dimension %q of size %d", name, size)
		}
		id, err := s.names.id(name)
		if err != nil {
			return err
		}
		for at := start; at < len(s.next); at += 2 {
			if s.next[at] == int64(id) {
				return errs.New(errs.ErrCorrupt, "has the dimension %q twice", name)
			}
		}
		s.next = append(s.next, int64(id), size)
	}
	return nil
}

// shape makes the shape of the key that is next.
func (s *shaper) shape() (*shape, error) {
	out := &shape{vars: make([]placement, len(s.vars))}
	own := make([][]axis, len(s.vars))
	seenIn := map[int]int{} // the variable that brought an axis in
	rest := s.next
	any := false
	for v := range s.vars {
		n := rest[0]
		rest = rest[1:]
		if n == absent {
			continue
		}
		any = true
		out.vars[v] = placement{present: true}
		for range n {
			a := axis{dim: int(rest[0]), size: rest[1]}
			rest = rest[2:]
			own[v] = append(own[v], a)
			at := slices.IndexFunc(out.axes, func(b axis) bool { return a.dim == b.dim })
			switch {
			case at < 0:
				out.axes, seenIn[a.dim] = append(out.axes, a), v
			case out.axes[at].size != a.size:
				return nil, errs.New(errs.ErrCorrupt, "dimension %q is of size %d in variable %s and of size %d in variable %s; name variables that belong together, as in cells('t', ['v'])",
					s.names.list[a.dim], out.axes[at].size, expr.QuoteIdent(s.vars[seenIn[a.dim]].Name), a.size, expr.QuoteIdent(s.vars[v].Name))
			}
		}
	}
	if !any {
		return out, nil
	}
	if len(out.axes) > maxAxes {
		return nil, errs.New(errs.ErrCorrupt, "it has %d dimensions", len(out.axes))
	}
	return out, out.fill(own)
}

// fill works the counts and strides out.
func (s *shape) fill(own [][]axis) error {
	var ok bool
	if s.cells, ok = product(s.axes); !ok {
		return errs.New(errs.ErrCorrupt, "its dimensions have more cells than can be counted")
	}
	for v := range s.vars {
		p := &s.vars[v]
		if !p.present {
			continue
		}
		p.count, _ = product(own[v]) // at most that of all axes, unless one of these is empty
		p.strides = make([]int64, len(s.axes))
		step := int64(1)
		for k := len(own[v]) - 1; k >= 0; k-- {
			at := slices.IndexFunc(s.axes, func(a axis) bool { return a.dim == own[v][k].dim })
			p.strides[at] = step
			step *= own[v][k].size
		}
	}
	return nil
}

// product is the number of cells of some axes; false where it does not fit.
func product(axes []axis) (int64, bool) {
	if slices.ContainsFunc(axes, func(a axis) bool { return a.size == 0 }) {
		return 0, true
	}
	n := uint64(1)
	for _, a := range axes {
		hi, lo := bits.Mul64(n, uint64(a.size))
		if hi != 0 || lo > 1<<62 {
			return 0, false
		}
		n = lo
	}
	return int64(n), true
}

// walk gives the places that cells start to start+n have by strides, added to base.
func (s *shape) walk(places []int64, strides []int64, base, start, n int64) []int64 {
	if len(s.axes) == 0 {
		return append(places, base)
	}
	at := make([]int64, len(s.axes))
	place := base
	for k, left := len(s.axes)-1, start; k >= 0; k-- {
		at[k] = left % s.axes[k].size
		left /= s.axes[k].size
		place += at[k] * strides[k]
	}
	last := len(s.axes) - 1
	for n > 0 {
		run := min(n, s.axes[last].size-at[last])
		for range run {
			places = append(places, place)
			place += strides[last]
		}
		n -= run
		at[last] += run
		for k := last; k > 0 && at[k] == s.axes[k].size; k-- {
			place += strides[k-1] - at[k]*strides[k]
			at[k] = 0
			at[k-1]++
		}
	}
	return places
}

func storage(a arrow.Array) arrow.Array {
	for {
		e, ok := a.(array.ExtensionArray)
		if !ok {
			return a
		}
		a = e.Storage()
	}
}

// listIn gives a field of a struct that is a list, nil where there is none.
func listIn(st *array.Struct, name string) array.ListLike {
	at, ok := st.DataType().(*arrow.StructType).FieldIdx(name)
	if !ok {
		return nil
	}
	l, _ := storage(st.Field(at)).(array.ListLike)
	return l
}

// textsOf reads an array of texts, nil where it is none.
func textsOf(a arrow.Array) func(int) string {
	switch a := storage(a).(type) {
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.StringView:
		return a.Value
	case *array.Dictionary:
		if of := textsOf(a.Dictionary()); of != nil {
			return func(i int) string {
				if at := a.GetValueIndex(i); at >= 0 && at < a.Dictionary().Len() && a.Dictionary().IsValid(at) {
					return of(at)
				}
				return "" // no name, which no two dimensions of a variable may have
			}
		}
	}
	return nil
}

// integersOf reads an array of integers, nil where it is none; what is too large is negative.
func integersOf(a arrow.Array) func(int) int64 {
	switch a := storage(a).(type) {
	case *array.Uint8:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint16:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Uint64:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int8:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(a.Value(i)) }
	case *array.Int64:
		return a.Value
	}
	return nil
}
