package flightsql

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/lanceflight/flightsrv/errs"
)

const (
	// maxDepth is how many lists and structs in one another Arrow's clients take in a column.
	maxDepth = 62
	// maxMaps is how many maps there may be in one another: arrow-go makes the arrays below a map twice, so that time and
	// memory double with each.
	maxMaps = 8
)

// checkDepth refuses columns that no client can read, or that take too much to be made. what names a column by its number,
// from 1 on.
func checkDepth(schema *arrow.Schema, what string) error {
	for i, f := range schema.Fields() {
		levels, maps := depth(f.Type)
		switch name := fmt.Sprintf(what, i+1); {
		case maps > maxMaps:
			return errs.Unsupportedf("%s has maps nested more than %d deep: take a part of it", name, maxMaps)
		case levels > maxDepth:
			return errs.Unsupportedf("%s is nested more than %d deep, which clients can't read: take a part of it", name, maxDepth)
		}
	}
	return nil
}

// depth counts the levels of a type above its leaves, and the maps among them.
func depth(t arrow.DataType) (levels, maps int) {
	switch t := t.(type) {
	case arrow.ExtensionType:
		return depth(t.StorageType())
	case *arrow.DictionaryType:
		return depth(t.ValueType)
	}
	nested, ok := t.(arrow.NestedType)
	if !ok {
		return 0, 0
	}
	for _, f := range nested.Fields() {
		l, m := depth(f.Type)
		levels, maps = max(levels, l), max(maps, m)
	}
	if t.ID() == arrow.MAP {
		maps++
	}
	return levels + 1, maps
}
