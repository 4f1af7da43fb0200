package expr

import (
	"hash/maphash"
	"reflect"
)

// fingerprintNodes bounds the nodes that a fingerprint looks at: trees that differ mostly do so near their root.
const fingerprintNodes = 16

// Fingerprints gives numbers to trees; trees that are Equal have the same one, others mostly do not.
type Fingerprints struct{ seed maphash.Seed }

// NewFingerprints makes one; numbers of different ones can't be compared.
func NewFingerprints() Fingerprints { return Fingerprints{maphash.MakeSeed()} }

// Of gives the number of a tree.
func (f Fingerprints) Of(e Expr) uint64 {
	var h maphash.Hash
	h.SetSeed(f.seed)
	left := fingerprintNodes
	addNode(&h, e, &left)
	return h.Sum64()
}

// addNode adds what Equal compares: the kind of a node, names and plain values, and what is below it.
func addNode(h *maphash.Hash, e Expr, left *int) {
	if e == nil || *left == 0 {
		return
	}
	*left--
	maphash.WriteComparable(h, reflect.TypeOf(e))
	switch e := e.(type) {
	case *Column:
		maphash.WriteComparable(h, e.Rel)
		for _, part := range e.Path {
			maphash.WriteComparable(h, part)
		}
	case *Literal:
		switch v := e.Value.(type) { // others are left to Equal
		case int64, uint64, string, bool:
			maphash.WriteComparable(h, v)
		}
	case *Call:
		maphash.WriteComparable(h, e.Name)
	}
	for _, c := range Children(e) {
		addNode(h, c, left)
	}
}
