package file

import (
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/encoding"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/filev2pb"
)

// maxRows bounds the rows or items of a column.
const maxRows = 1 << 62

// parseColumn reads the metadata of a column of a file of size bytes.
func parseColumn(b []byte, index int, size uint64, s scheme, object string) (*encoding.Column, error) {
	msg := new(filev2pb.ColumnMetadata)
	if err := bounded.Unmarshal(b, msg); err != nil {
		return nil, errs.Corruptf(object, -1, "metadata of column %d: %v", index, err)
	}
	c := &encoding.Column{Index: index, Pages: make([]encoding.Page, len(msg.GetPages()))}
	enc, err := parseEncoding(msg.GetEncoding())
	if err != nil {
		return nil, errs.Corruptf(object, -1, "encoding of column %d: %v", index, err)
	}
	c.Encoding = enc.GetValue()
	if c.Buffers, err = buffers(msg.GetBufferOffsets(), msg.GetBufferSizes(), size, 1); err != nil {
		return nil, errs.Corruptf(object, -1, "column %d: %v", index, err)
	}
	var rows uint64
	for i, p := range msg.GetPages() {
		enc, err := parseEncoding(p.GetEncoding())
		if err != nil {
			return nil, errs.Corruptf(object, -1, "encoding of column %d, page %d: %v", index, i, err)
		}
		page := encoding.Page{Rows: p.GetLength(), Priority: p.GetPriority(), TypeURL: enc.GetTypeUrl(), Encoding: enc.GetValue()}
		if page.Buffers, err = buffers(p.GetBufferOffsets(), p.GetBufferSizes(), size, s.alignment()); err != nil {
			return nil, errs.Corruptf(object, -1, "column %d, page %d: %v", index, i, err)
		}
		if page.Rows > maxRows || rows+page.Rows > maxRows {
			return nil, errs.Corruptf(object, -1, "column %d, page %d: %d rows after %d", index, i, page.Rows, rows)
		}
		rows += page.Rows
		c.Pages[i] = page
	}
	return c, nil
}

// parseEncoding unwraps a message that holds an Any; an absent one gives an empty Any.
func parseEncoding(e *filev2pb.Encoding) (*anypb.Any, error) {
	out := new(anypb.Any)
	switch l := e.GetLocation().(type) {
	case *filev2pb.Encoding_Direct_:
		if err := bounded.Unmarshal(l.Direct.GetEncoding(), out); err != nil {
			return nil, err
		}
	case *filev2pb.Encoding_Indirect_:
		return nil, errs.Unsupportedf("it lies in another buffer")
	}
	return out, nil
}

func buffers(offsets, sizes []uint64, size, align uint64) ([]encoding.BufferRange, error) {
	if len(offsets) != len(sizes) {
		return nil, errs.New(errs.ErrCorrupt, "%d offsets and %d sizes of buffers", len(offsets), len(sizes))
	}
	out := make([]encoding.BufferRange, len(offsets))
	for i, o := range offsets {
		if o > size || sizes[i] > size-o {
			return nil, errs.New(errs.ErrCorrupt, "buffer %d has %d bytes from byte %d on, the file has %d", i, sizes[i], o, size)
		}
		if o%align != 0 {
			return nil, errs.New(errs.ErrCorrupt, "buffer %d starts at byte %d, which is no multiple of %d", i, o, align)
		}
		out[i] = encoding.BufferRange{Offset: o, Size: sizes[i]}
	}
	return out, nil
}
