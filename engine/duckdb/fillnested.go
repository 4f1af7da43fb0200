package duckdb

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

func (c *carrier) fillNested(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	switch c.form {
	case structForm:
		return c.fillStruct(vec, arr, from, n, dst)
	case listForm, mapForm:
		return c.fillList(vec, arr, from, n, dst)
	case arrayForm:
		return c.fillArray(vec, arr, from, n, dst)
	}
	return fmt.Errorf("no way into DuckDB for %s: %w", c.arrow, errs.ErrInternal)
}

// fillStruct fills a struct's fields. What stands under a null struct may be anything: only runs of valid rows are
// filled, the rest is null.
func (c *carrier) fillStruct(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	st, ok := arr.(*array.Struct)
	if !ok {
		return wrongArray(arr)
	}
	for f, kid := range c.kids {
		child := db.StructVectorGetChild(vec, db.IdxT(f))
		err := runs(arr, from, n, func(i, k int, valid bool) error {
			if valid {
				return kid.fill(child, st.Field(f), i, k, dst+i-from)
			}
			kid.fillNulls(child, dst+i-from, k)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runs calls do for each longest run of rows that are all valid or all null.
func runs(arr arrow.Array, from, n int, do func(i, k int, valid bool) error) error {
	if arr.NullN() == 0 {
		return do(from, n, true)
	}
	for i := from; i < from+n; {
		valid, j := arr.IsValid(i), i+1
		for j < from+n && arr.IsValid(j) == valid {
			j++
		}
		if err := do(i, j-i, valid); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// fillNulls makes rows null, down to the innermost fields.
func (c *carrier) fillNulls(vec db.Vector, dst, n int) {
	setNulls(vec, dst, n)
	switch c.form {
	case structForm:
		for f, kid := range c.kids {
			kid.fillNulls(db.StructVectorGetChild(vec, db.IdxT(f)), dst, n)
		}
	case boxedInt, boxedEmpty, boxedDecimal:
		setNulls(db.StructVectorGetChild(vec, 0), dst, n)
	case dictForm:
		c.kids[0].fillNulls(vec, dst, n)
	case listForm, mapForm:
		clear(values[listEntry](vec, dst+n)[dst:])
	case arrayForm:
		c.kids[0].fillNulls(db.ArrayVectorGetChild(vec), dst*c.duck.size, n*c.duck.size)
	case text, blob:
		clear(values[[16]byte](vec, dst+n)[dst:])
	}
}

// listEntry is a LIST's value as it stands in a vector: a range of the child vector.
type listEntry struct{ offset, length uint64 }

// fillList fills lists of any kind, and maps, item by item where they lie one after the other.
func (c *carrier) fillList(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	list, ok := arr.(array.ListLike)
	if !ok {
		return wrongArray(arr)
	}
	base := int(db.ListVectorGetSize(vec))
	total := base
	for i := range n {
		e := &values[listEntry](vec, dst+n)[dst+i]
		*e = listEntry{offset: uint64(total)}
		if arr.IsValid(from + i) {
			s, end := list.ValueOffsets(from + i)
			e.length = uint64(end - s)
			total += int(end - s)
		}
	}
	if db.ListVectorReserve(vec, db.IdxT(total)) == db.StateError || db.ListVectorSetSize(vec, db.IdxT(total)) == db.StateError {
		return errs.New(errs.ErrResourceExhausted, "no memory for a list of %d items", total-base)
	}
	child := db.ListVectorGetChild(vec)
	put := base
	for i := 0; i < n; { // a stretch of lists whose items follow one another is filled at once
		if !arr.IsValid(from + i) {
			i++
			continue
		}
		s, end := list.ValueOffsets(from + i)
		for i++; i < n; i++ {
			if !arr.IsValid(from + i) {
				continue
			}
			s2, e2 := list.ValueOffsets(from + i)
			if s2 != end {
				break
			}
			end = e2
		}
		if err := c.fillItems(child, list.ListValues(), int(s), int(end-s), put); err != nil {
			return err
		}
		put += int(end - s)
	}
	return nil
}

func (c *carrier) fillItems(child db.Vector, items arrow.Array, from, n, dst int) error {
	if c.form == listForm {
		return c.kids[0].fill(child, items, from, n, dst)
	}
	pairs, ok := items.(*array.Struct)
	if !ok {
		return wrongArray(items)
	}
	for f, kid := range c.kids {
		if err := kid.fill(db.StructVectorGetChild(child, db.IdxT(f)), pairs.Field(f), from, n, dst); err != nil {
			return err
		}
	}
	return nil
}

func (c *carrier) fillArray(vec db.Vector, arr arrow.Array, from, n, dst int) error {
	list, ok := arr.(*array.FixedSizeList)
	if !ok {
		return wrongArray(arr)
	}
	child, size := db.ArrayVectorGetChild(vec), c.duck.size
	return runs(arr, from, n, func(i, k int, valid bool) error {
		at := (dst + i - from) * size
		if !valid {
			c.kids[0].fillNulls(child, at, k*size)
			return nil
		}
		s, _ := list.ValueOffsets(i)
		return c.kids[0].fill(child, list.ListValues(), int(s), k*size, at)
	})
}

// fillDictionary fills a dictionary's values, decoded. A dictionary may hold the null itself.
func (c *carrier) fillDictionary(vec db.Vector, arr *array.Dictionary, from, n, dst int) error {
	kid, dict := c.kids[0], arr.Dictionary()
	if kid.form == text || kid.form == blob {
		value, err := bytesOf(dict)
		if err != nil {
			return err
		}
		return kid.fillStrings(vec, n, dst, func(i int) ([]byte, bool) {
			if arr.IsNull(from + i) {
				return nil, false
			}
			at := arr.GetValueIndex(from + i)
			if dict.IsNull(at) {
				setNulls(vec, dst+i, 1)
				return nil, false
			}
			return value(at), true
		})
	}
	for i := from; i < from+n; i++ {
		if arr.IsNull(i) {
			kid.fillNulls(vec, dst+i-from, 1)
			continue
		}
		if err := kid.fill(vec, dict, arr.GetValueIndex(i), 1, dst+i-from); err != nil {
			return err
		}
	}
	return nil
}
