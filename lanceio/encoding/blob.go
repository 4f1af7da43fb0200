package encoding

import (
	"context"
	"encoding/binary"
	"math"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding/codec"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
)

// Blob columns hold where their values lie, in a page of its own kind; the values are read when the rows are.
//
// The first kind, pages of version 2.1 with a layout of their own, has position and size in the data file. Where the
// size is 0, the position is 0 for an empty value, else the levels of what is null: rep, and def<<16.
//
// The second kind, columns from version 2.2 on, has structs stored row by row, which are null where the value is. The
// kind of a value tells where it lies: in the data file, in a part of a file beside it, in the whole of such a file, or in
// a file that a URI names.

// places1 and places2 are what blob columns store.
var (
	places1 = arrow.StructOf(
		arrow.Field{Name: "position", Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: "size", Type: arrow.PrimitiveTypes.Uint64},
	)
	places2 = arrow.StructOf(
		arrow.Field{Name: "kind", Type: arrow.PrimitiveTypes.Uint8},
		arrow.Field{Name: "position", Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: "size", Type: arrow.PrimitiveTypes.Uint64},
		arrow.Field{Name: "blob_id", Type: arrow.PrimitiveTypes.Uint32},
		arrow.Field{Name: "blob_uri", Type: arrow.BinaryTypes.String},
	)
)

// BlobKind tells where a value of the second kind of columns lies.
type BlobKind uint8

// Inline blobs lie in the data file. Packed and dedicated ones lie in a file beside it that ID names, external ones in the
// file of URI: an absolute one where ID is 0, else relative to the base path ID. Managed blobs lie in the table's own
// folder, at URI in the base path of the data file, or in the base path ID.
const (
	BlobInline BlobKind = iota
	BlobPacked
	BlobDedicated
	BlobExternal
	BlobManaged
	BlobManagedInBase
)

// BlobFile names a file other than the data file that holds blobs.
type BlobFile struct {
	Kind BlobKind
	ID   uint32
	URI  string
}

// BlobInput is an Input that can read files of blobs.
type BlobInput interface {
	Input
	// ReadBlobs is ReadRanges of a file of blobs. A range of size 0, of an external one, goes to the end of the file.
	ReadBlobs(ctx context.Context, leaf string, file BlobFile, ranges []BufferRange) ([][]byte, error)
}

// blob is a page of places.
type blob struct {
	page   *page
	inner  layout
	places arrow.DataType
	shape  shape
	plan   *levelPlan // of the first kind; nil for the second, whose levels are those of inner
}

// placesPage gives the page as one of a column of places.
func (p *page) placesPage(places arrow.DataType) (*page, error) {
	if p.leaf.shape.kind != kindVar {
		return nil, corruptf("blobs in a column that is none of byte strings")
	}
	l := *p.leaf
	var err error
	l.shape, err = shapeOf(places)
	l.blobs = false
	return &page{leaf: &l, number: p.number, raw: p.raw}, err
}

// newBlobPage gives the reader of a page of the first kind.
func newBlobPage(p *page, m *pb.BlobLayout) (layout, error) {
	plan, err := newLevelPlan(m.GetLayers(), p.leaf.nodes)
	if err != nil {
		return nil, err
	}
	if plan.lists > 0 || p.leaf.scale != 1 {
		return nil, errs.Unsupportedf("blobs in lists")
	}
	q, err := p.placesPage(places1)
	if err != nil {
		return nil, err
	}
	q.leaf.nodes = q.leaf.nodes[:1]
	inner, err := newLayout(q, m.GetInnerLayout())
	if err != nil {
		return nil, err
	}
	if inner.levels().maxDef() > 0 {
		return nil, corruptf("places of blobs that are null")
	}
	return &blob{page: p, inner: inner, places: places1, shape: q.leaf.shape, plan: plan}, nil
}

// newBlobColumn gives the reader of a page of the second kind; read makes the layout of a page.
func newBlobColumn(p *page, read func(*page) (layout, error)) (layout, error) {
	q, err := p.placesPage(places2)
	if err != nil {
		return nil, err
	}
	inner, err := read(q)
	return &blob{page: p, inner: inner, places: places2, shape: q.leaf.shape}, err
}

func (b *blob) levels() *levelPlan {
	if b.plan != nil {
		return b.plan
	}
	return b.inner.levels()
}

// keeps is true, as the places may be taken from what was read.
func (b *blob) keeps() bool { return true }

func (b *blob) slots(rows uint64) uint64 { return b.inner.slots(rows) }
func (b *blob) kept() int                { return b.inner.kept() }

func (b *blob) open(rows []RowRange) task { return &blobTask{b: b, inner: b.inner.open(rows)} }

// blobTask is one read of some rows.
type blobTask struct {
	b       *blob
	inner   task
	located bool
	// The events of the rows, and of each leaf slot where its value lies; the values once they are read.
	events   int
	rep, def []uint16
	places   []blobPlace
	values   [][]byte
}

// blobPlace is where a value lies.
type blobPlace struct {
	file  BlobFile
	at    BufferRange
	empty bool
}

// inline tells whether the value is bytes of the data file.
func (p blobPlace) inline() bool { return p.file.Kind == BlobInline && p.at.Size > 0 }

func (t *blobTask) step(bufs [][]byte) ([]BufferRange, error) {
	if !t.located {
		need, err := t.inner.step(bufs)
		if err != nil || len(need) > 0 {
			return need, err
		}
		t.located = true
		if err := t.locate(); err != nil {
			return nil, err
		}
		var out []BufferRange
		for _, p := range t.places {
			if p.inline() {
				out = append(out, p.at)
			}
		}
		return out, nil
	}
	for i, p := range t.places {
		if p.inline() {
			t.values[i], bufs = bufs[0], bufs[1:]
		}
	}
	return nil, nil
}

// locate decodes the places.
func (t *blobTask) locate() error {
	tmp := &accumulator{sink: newSink(t.b.shape, t.b.page.leaf.mem, maxBufferBytes), scratch: new(scratch)}
	defer tmp.sink.release()
	var err error
	if s, ok := t.inner.(*sparseTask); ok {
		err = s.values(tmp)
	} else {
		err = t.inner.decode(tmp)
	}
	if err != nil {
		return err
	}
	t.events = tmp.events
	if tmp.hasRep {
		t.rep = tmp.rep
	}
	if tmp.hasDef {
		t.def = tmp.def
	}
	data, err := tmp.sink.data(t.b.places, nil, 0)
	if err != nil {
		return err
	}
	defer data.Release()
	st := array.NewStructData(data)
	defer st.Release()
	t.places, t.values = make([]blobPlace, st.Len()), make([][]byte, st.Len())
	if t.b.plan != nil {
		err = t.readPlaces1(st)
	} else {
		err = t.readPlaces2(st)
	}
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, p := range t.places {
		if total += p.at.Size; p.at.Size > math.MaxInt32 || total > math.MaxInt32 {
			return tooManyBlobBytes()
		}
	}
	return nil
}

func (t *blobTask) readPlaces1(st *array.Struct) error {
	at, size := st.Field(0).(*array.Uint64), st.Field(1).(*array.Uint64)
	plan := t.b.plan
	t.rep, t.def = nil, nil
	if plan.maxDef() > 0 {
		t.def = make([]uint16, len(t.places))
	}
	for i := range t.places {
		p := at.Value(i)
		if size.Value(i) > 0 || p == 0 {
			t.places[i].at = BufferRange{p, size.Value(i)}
			continue
		}
		rep, def := p&math.MaxUint16, p>>16
		if rep != 0 || def == 0 || def > uint64(plan.maxDef()) {
			return corruptf("blob of levels %d and %d", rep, def)
		}
		t.def[i] = uint16(def)
	}
	return nil
}

func (t *blobTask) readPlaces2(st *array.Struct) error {
	kind, at, size, id := st.Field(0).(*array.Uint8), st.Field(1).(*array.Uint64), st.Field(2).(*array.Uint64), st.Field(3).(*array.Uint32)
	uri := st.Field(4).(*array.String)
	for i := range t.places {
		p := blobPlace{file: BlobFile{Kind: BlobKind(kind.Value(i))}, at: BufferRange{at.Value(i), size.Value(i)}}
		p.empty = p.at.Size == 0 && p.file.Kind != BlobExternal
		switch p.file.Kind {
		case BlobInline:
		case BlobPacked, BlobDedicated:
			p.file.ID = id.Value(i)
			if p.file.Kind == BlobDedicated && p.at.Offset != 0 {
				return corruptf("blob from byte %d on of a file of its own", p.at.Offset)
			}
		case BlobExternal, BlobManagedInBase:
			p.file.ID, p.file.URI = id.Value(i), strings.Clone(uri.Value(i))
		case BlobManaged:
			p.file.URI = strings.Clone(uri.Value(i))
		default:
			return errs.Unsupportedf("blob of kind %d", p.file.Kind)
		}
		t.places[i] = p
	}
	return nil
}

// outsider is a task that reads other files than the data file, once step asks for no more.
type outsider interface {
	outside(ctx context.Context, in Input, leaf string) error
}

// outside reads the values that lie in files of their own.
func (t *blobTask) outside(ctx context.Context, in Input, leaf string) error {
	places := map[BlobFile][]int{}
	var files []BlobFile // in the order of their first rows
	for i, p := range t.places {
		if p.file.Kind == BlobInline || p.empty {
			continue
		}
		if places[p.file] == nil {
			files = append(files, p.file)
		}
		places[p.file] = append(places[p.file], i)
	}
	if len(files) == 0 {
		return nil
	}
	s, ok := in.(BlobInput)
	if !ok {
		return errs.Unsupportedf("blobs in files beside the data file")
	}
	total := uint64(0)
	for _, f := range files {
		ranges := make([]BufferRange, len(places[f]))
		for k, i := range places[f] {
			ranges[k] = t.places[i].at
		}
		got, err := s.ReadBlobs(ctx, leaf, f, ranges)
		if err != nil {
			return err
		}
		for k, b := range got { // a range to the end of its file now has its size
			if total += uint64(len(b)); k < len(ranges) && ranges[k].Size == 0 {
				ranges[k].Size = uint64(len(b))
			}
		}
		if err := checkRead(ranges, got); err != nil {
			return err
		}
		if total > math.MaxInt32 {
			return tooManyBlobBytes()
		}
		for k, i := range places[f] {
			t.values[i] = got[k]
		}
	}
	return nil
}

func tooManyBlobBytes() error {
	return errs.New(errs.ErrResourceExhausted, "more than %d bytes of blobs in one read", math.MaxInt32)
}

func (t *blobTask) decode(a *accumulator) error {
	if s, ok := t.inner.(*sparseTask); ok {
		if err := s.structure(a); err != nil {
			return err
		}
		a.settled = true
	} else if err := a.addLevels(t.rep, t.def, t.events); err != nil {
		return err
	}
	var offsets [16]byte
	for _, b := range t.values {
		binary.LittleEndian.PutUint64(offsets[8:], uint64(len(b)))
		v := values{n: 1, text: codec.Variable{Width: 8, Offsets: offsets[:], Data: b}}
		if err := a.sink.repeat(&v, 1); err != nil {
			return err
		}
	}
	return nil
}
