// Package bounded reads protobuf messages whose bytes are hostile: an empty message within another takes two bytes in a file
// and a hundred in memory, and the library makes it all the same.
package bounded

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	// Depth bounds how deep messages may nest.
	Depth = 128
	// Factor is how many bytes of memory the messages of a byte may take, by and large; Free bytes they may take in any
	// case. What pylance writes in great numbers stays below 16.
	Factor, Free = 32, 1 << 20
	// smallest is a size of messages that stay below Free whatever they hold: two bytes make one message at the most.
	smallest = 4 << 10
)

// Unmarshal reads the message of b into m. It fails, before it makes anything, where the messages within would take much more
// memory than their bytes, or nest deeper than Depth.
func Unmarshal(b []byte, m proto.Message) error {
	if len(b) > smallest {
		w := walker{left: Free + Factor*len(b), kinds: map[protoreflect.MessageDescriptor]*kind{}}
		if err := w.message(b, w.kind(m.ProtoReflect().Descriptor()), Depth); err != nil {
			return err
		}
	}
	return proto.UnmarshalOptions{RecursionLimit: Depth}.Unmarshal(b, m)
}

// walker counts the memory that messages will take.
type walker struct {
	left  int
	kinds map[protoreflect.MessageDescriptor]*kind
}

// kind is what is known of a kind of message: its size in memory, and its fields that are messages, by number.
type kind struct {
	size  int
	inner []protoreflect.MessageDescriptor
	kinds []*kind // of inner, once they are met
}

// headSize is what each message has, and its place in a list that doubles when it is full.
const headSize = 48 + 3*8

func (w *walker) kind(d protoreflect.MessageDescriptor) *kind {
	if k := w.kinds[d]; k != nil {
		return k
	}
	k := &kind{size: headSize}
	w.kinds[d] = k
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		switch {
		case f.IsList() || f.Kind() == protoreflect.BytesKind:
			k.size += 24
		case f.Kind() == protoreflect.StringKind:
			k.size += 16
		default:
			k.size += 8
		}
		if n := int(f.Number()); f.Message() != nil && n <= maxNumber {
			for len(k.inner) <= n {
				k.inner = append(k.inner, nil)
			}
			k.inner[n] = f.Message()
		}
	}
	k.kinds = make([]*kind, len(k.inner))
	return k
}

// maxNumber is above the numbers of all fields that are messages.
const maxNumber = 1 << 10

func (w *walker) message(b []byte, k *kind, depth int) error {
	if w.left -= k.size; w.left < 0 {
		return fmt.Errorf("its messages take more than %d times their bytes", Factor)
	}
	if depth == 0 {
		return fmt.Errorf("messages nest more than %d levels deep", Depth)
	}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return protowire.ParseError(n)
		}
		if i := int(num); typ == protowire.BytesType && i < len(k.inner) && k.inner[i] != nil {
			if k.kinds[i] == nil {
				k.kinds[i] = w.kind(k.inner[i])
			}
			inner, _ := protowire.ConsumeBytes(b)
			if err := w.message(inner, k.kinds[i], depth-1); err != nil {
				return err
			}
		}
		b = b[n:]
	}
	return nil
}
