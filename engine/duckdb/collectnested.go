package duckdb

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

func (k *collector) addNested(vec db.Vector, valid []byte, from, n int) error {
	switch k.c.form {
	case structForm:
		return validRuns(valid, from, n, func(i, m int, ok bool) error {
			for f, kid := range k.kids {
				if !ok {
					kid.addNulls(m)
				} else if err := kid.add(db.StructVectorGetChild(vec, db.IdxT(f)), i, m); err != nil {
					return err
				}
			}
			return nil
		})
	case arrayForm:
		size, child := k.c.duck.size, db.ArrayVectorGetChild(vec)
		return validRuns(valid, from, n, func(i, m int, ok bool) error {
			if !ok {
				k.kids[0].addNulls(m * size)
				return nil
			}
			return k.kids[0].add(child, i*size, m*size)
		})
	case listForm, mapForm:
		return k.addLists(vec, valid, from, n)
	}
	return fmt.Errorf("no way out of DuckDB for %s: %w", k.typ, errs.ErrInternal)
}

// validRuns calls do for each longest run of rows that are all valid or all null.
func validRuns(valid []byte, from, n int, do func(i, m int, ok bool) error) error {
	for i := from; i < from+n; {
		ok, j := isValid(valid, i), i+1
		for j < from+n && (valid == nil || isValid(valid, j) == ok) {
			j++
		}
		if err := do(i, j-i, ok); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// addLists takes lists and maps; stretches whose items follow one another are taken at once.
func (k *collector) addLists(vec db.Vector, valid []byte, from, n int) error {
	in, child := values[listEntry](vec, from+n), db.ListVectorGetChild(vec)
	start, end := 0, 0 // the stretch of items that is to be taken
	flush := func() error {
		err := k.addItems(child, start, end-start)
		start = end
		return err
	}
	fsl, fixed := k.typ.(*arrow.FixedSizeListType)
	total := k.items()
	for i := from; i < from+n; i++ {
		if !isValid(valid, i) {
			if fixed {
				if err := flush(); err != nil {
					return err
				}
				k.kids[0].addNulls(int(fsl.Len()))
			} else if err := k.addOffset(int64(total)); err != nil {
				return err
			}
			continue
		}
		off, size := int(in[i].offset), int(in[i].length)
		if size == 0 {
			off = end
		}
		if off != end {
			if err := flush(); err != nil {
				return err
			}
			start = off
		}
		end = off + size
		total += size
		if !fixed {
			if err := k.addOffset(int64(total)); err != nil {
				return err
			}
		} else if size != int(fsl.Len()) {
			return fmt.Errorf("a list of %d items came back for %s: %w", size, k.typ, errs.ErrInternal)
		}
	}
	return flush()
}

// items is the number of list items collected.
func (k *collector) items() int { return k.kids[0].n }

func (k *collector) addItems(child db.Vector, from, n int) error {
	if k.c.form == listForm {
		return k.kids[0].add(child, from, n)
	}
	if n == 0 {
		return nil
	}
	for f, kid := range k.kids {
		if err := kid.add(db.StructVectorGetChild(child, db.IdxT(f)), from, n); err != nil {
			return err
		}
	}
	return nil
}

// addNulls takes n nulls, whatever vectors hold.
func (k *collector) addNulls(n int) {
	if n == 0 {
		return
	}
	switch k.c.form {
	case nothing, boxedEmpty:
	case bits:
		k.addBools(make([]bool, n))
	case text, blob, enumForm, uuidForm:
		for range n {
			_ = k.addBytes(nil, false) // an empty value can't fail: the end stays where it was
		}
	case listForm, mapForm:
		for range n {
			if fsl, ok := k.typ.(*arrow.FixedSizeListType); ok {
				k.kids[0].addNulls(int(fsl.Len()))
				continue
			}
			_ = k.addOffset(int64(k.items()))
		}
	case arrayForm:
		k.kids[0].addNulls(n * k.c.duck.size)
	case structForm:
		for _, kid := range k.kids {
			kid.addNulls(n)
		}
	case dictForm:
		k.kids[0].addNulls(n)
	default:
		clear(grow(k.data, n*k.typ.(arrow.FixedWidthDataType).Bytes()))
	}
	k.addValidity(make([]byte, bitutil.BytesForBits(int64(n))), 0, n)
}

// take gives what was collected as an array, and starts anew. The caller releases the array.
func (k *collector) take() (arrow.Array, error) {
	data, err := k.takeData(k.c.arrow)
	if err != nil {
		return nil, err
	}
	defer data.Release()
	return array.MakeFromData(data), nil
}

func (k *collector) takeData(t arrow.DataType) (arrow.ArrayData, error) {
	n, nulls := k.n, k.nulls
	valid, data, offs := k.valid, k.data, k.offs
	k.n, k.nulls = 0, 0
	k.valid, k.data, k.offs = memory.NewResizableBuffer(k.mem), memory.NewResizableBuffer(k.mem), memory.NewResizableBuffer(k.mem)
	defer func() {
		valid.Release()
		data.Release()
		offs.Release()
	}()
	mask := valid
	if nulls == 0 {
		mask = nil
	}
	if offs.Len() == 0 { // arrays of no rows still have their first offset
		clear(grow(offs, 8))
	}
	if k.c.form == dictForm {
		return k.takeDictionary(t)
	}
	if isView(k.typ) {
		return k.takeView(t, n, nulls, mask, data, offs)
	}
	switch k.typ.(type) {
	case *arrow.NullType:
		return array.NewData(t, n, []*memory.Buffer{nil}, nil, n, 0), nil
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return array.NewData(t, n, []*memory.Buffer{mask, offs, data}, nil, nulls, 0), nil
	case *arrow.StructType, *arrow.FixedSizeListType:
		return k.withKids(t, n, nulls, []*memory.Buffer{mask})
	case *arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		return k.withKids(t, n, nulls, []*memory.Buffer{mask, offs})
	}
	return array.NewData(t, n, []*memory.Buffer{mask, data}, nil, nulls, 0), nil
}

// withKids makes the data of a nested array. A map's pairs are one struct below it.
func (k *collector) withKids(t arrow.DataType, n, nulls int, bufs []*memory.Buffer) (arrow.ArrayData, error) {
	kids := make([]arrow.ArrayData, 0, len(k.kids))
	defer func() {
		for _, kid := range kids {
			kid.Release()
		}
	}()
	items := 0
	for _, kid := range k.kids {
		items = kid.n
		data, err := kid.takeData(kid.c.arrow)
		if err != nil {
			return nil, err
		}
		kids = append(kids, data)
	}
	m, ok := k.typ.(*arrow.MapType)
	if !ok {
		return array.NewData(t, n, bufs, kids, nulls, 0), nil
	}
	pairs := array.NewData(m.Elem(), items, []*memory.Buffer{nil}, kids, 0, 0)
	defer pairs.Release()
	return array.NewData(t, n, bufs, []arrow.ArrayData{pairs}, nulls, 0), nil
}

// takeDictionary encodes the values that were collected.
func (k *collector) takeDictionary(t arrow.DataType) (arrow.ArrayData, error) {
	vals, err := k.kids[0].take()
	if err != nil {
		return nil, err
	}
	defer vals.Release()
	b := array.NewDictionaryBuilder(k.mem, k.typ.(*arrow.DictionaryType))
	defer b.Release()
	if err := b.AppendArray(vals); err != nil {
		return nil, errs.Unsupportedf("a result column of type %s: %w", t, err)
	}
	arr := b.NewDictionaryArray()
	defer arr.Release()
	data := arr.Data()
	data.Retain()
	return data, nil
}

// takeView turns offsets into views.
func (k *collector) takeView(t arrow.DataType, n, nulls int, mask, data, offs *memory.Buffer) (arrow.ArrayData, error) {
	end := func(i int) uint64 { return binary.LittleEndian.Uint64(offs.Bytes()[8*i:]) }
	switch k.typ.ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		views := memory.NewResizableBuffer(k.mem)
		defer views.Release()
		views.Resize(arrow.ViewHeaderSizeBytes * n)
		headers := arrow.ViewHeaderTraits.CastFromBytes(views.Bytes())
		for i := range n {
			v := data.Bytes()[end(i):end(i+1)]
			headers[i].SetBytes(v)
			if !headers[i].IsInline() {
				headers[i].SetIndexOffset(0, int32(end(i)))
			}
		}
		return array.NewData(t, n, []*memory.Buffer{mask, views, data}, nil, nulls, 0), nil
	}
	width := 4
	if k.wide {
		width = 8
	}
	starts, sizes := memory.NewResizableBuffer(k.mem), memory.NewResizableBuffer(k.mem)
	defer starts.Release()
	defer sizes.Release()
	starts.Resize(width * n)
	sizes.Resize(width * n)
	for i := range n {
		putSize(starts.Bytes()[i*width:(i+1)*width], end(i))
		putSize(sizes.Bytes()[i*width:(i+1)*width], end(i+1)-end(i))
	}
	return k.withKids(t, n, nulls, []*memory.Buffer{mask, starts, sizes})
}

func putSize(out []byte, v uint64) {
	if len(out) == 4 {
		binary.LittleEndian.PutUint32(out, uint32(v))
		return
	}
	binary.LittleEndian.PutUint64(out, v)
}
