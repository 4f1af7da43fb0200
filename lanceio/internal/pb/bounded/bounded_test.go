package bounded_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/lanceflight/flightsrv/internal/alloctest"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings20"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filepb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filev2pb"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/tablepb"
)

// roots are the messages that files hold, or that lie in these as bytes.
var roots = []proto.Message{
	&tablepb.Manifest{}, &tablepb.IndexSection{}, &tablepb.RowIdSequence{}, &tablepb.RowDatasetVersionSequence{},
	&filepb.FileDescriptor{}, &filepb.Metadata{}, &filev2pb.ColumnMetadata{}, &encodings20.ColumnEncoding{}, &encodings20.ArrayEncoding{},
	&encodings21.PageLayout{}, &encodings23.PlanarLayout{},
}

// field puts a value behind the tag of a field.
func field(num protoreflect.FieldNumber, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), value)
}

// hollow gives for each message below d one with 1 MiB of one of its lists, whose elements are empty, wrapped as far as d.
func hollow(d protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool, wrap func([]byte) []byte, each func(name string, b []byte)) {
	if seen[d.FullName()] {
		return
	}
	seen[d.FullName()] = true
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if f.Message() == nil {
			continue
		}
		if f.IsList() || f.IsMap() {
			one := field(f.Number(), nil)
			each(string(f.FullName()), wrap(bytes.Repeat(one, (1<<20)/len(one))))
		}
		hollow(f.Message(), seen, func(b []byte) []byte { return wrap(field(f.Number(), b)) }, each)
	}
}

// A list of empty messages, whichever, takes no more memory than the bound says, or is refused before it is made.
func TestHollowMessages(t *testing.T) {
	lists, refused := 0, 0
	for _, m := range roots {
		hollow(m.ProtoReflect().Descriptor(), map[protoreflect.FullName]bool{}, func(b []byte) []byte { return b }, func(name string, b []byte) {
			t.Run(name, func(t *testing.T) {
				lists++
				alloctest.Within(t, uint64(bounded.Factor*len(b)), func() {
					if err := bounded.Unmarshal(b, m.ProtoReflect().New().Interface()); err != nil {
						refused++
					}
				})
			})
		})
	}
	if lists < 20 || refused < 15 {
		t.Errorf("%d lists were found, %d refused", lists, refused)
	}
}

// A message that holds itself ever again is refused.
func TestDepth(t *testing.T) {
	for n, read := range map[int]bool{1: true, 50: true, 500: false, 5000: false} {
		m := &encodings21.PageLayout{}
		for range n { // each level of pages is two of messages
			m = &encodings21.PageLayout{Layout: &encodings21.PageLayout_BlobLayout{BlobLayout: &encodings21.BlobLayout{InnerLayout: m}}}
		}
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := bounded.Unmarshal(b, &encodings21.PageLayout{}); (err == nil) != read {
			t.Errorf("%d levels: %v", n, err)
		}
	}
}

// What pylance wrote is read, and is far from the bounds: many times over in one list, as in a table of many fragments.
func TestManifestsAreRead(t *testing.T) {
	found, err := filepath.Glob("../../../testdata/tables/*/_versions/*.manifest")
	if err != nil || len(found) < 10 {
		t.Fatal(found, err)
	}
	for i := 0; i < len(found); i += len(found) / 4 {
		p := found[i]
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		at := int(b[len(b)-16]) | int(b[len(b)-15])<<8 | int(b[len(b)-14])<<16
		msg := new(tablepb.Manifest)
		if err := proto.Unmarshal(b[at+4:len(b)-16], msg); err != nil {
			t.Fatal(err)
		}
		for len(msg.Fragments) > 0 && len(msg.Fragments) < 20_000 {
			msg.Fragments = append(msg.Fragments, msg.Fragments...)
		}
		if b, err = proto.Marshal(msg); err != nil {
			t.Fatal(err)
		}
		if err := bounded.Unmarshal(b, new(tablepb.Manifest)); err != nil {
			t.Errorf("%s, %d bytes: %v", filepath.Base(p), len(b), err)
		}
	}
}
