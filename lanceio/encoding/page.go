package encoding

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/lanceio/internal/pb/bounded"
	pb "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings21"
	pb23 "github.com/lanceflight/flightsrv/lanceio/internal/pb/encodings23"
)

// corruptf gives an error of the kind ErrCorrupt that page.fault puts into its place.
func corruptf(format string, args ...any) error { return errs.New(errs.ErrCorrupt, format, args...) }

// pageLayoutType is the message that describes a page in versions 2.1 and 2.2.
const pageLayoutType = "lance.encodings21.PageLayout"

// maxDescription bounds the message that describes a page.
const (
	maxDescription = 16 << 20
)

// layout reads the pages of one kind of layout. It keeps what is worth keeping of one page between reads.
type layout interface {
	// open begins a read of some rows of the page; rows ascend, do not overlap, are not empty, and are within the page.
	open(rows []RowRange) task
	// levels says what the page's levels mean.
	levels() *levelPlan
	// slots is about how many leaf slots some rows of the page have.
	slots(rows uint64) uint64
	// keeps tells that bytes that were read may stay in use as part of what the layout keeps, or of an answer.
	keeps() bool
	// kept is about how many bytes the layout holds on to.
	kept() int
}

// task is one read of some rows of a page.
type task interface {
	// step is given the bytes that the step before asked for, and asks for more; when it asks for none, decode may be
	// called.
	step(bufs [][]byte) ([]BufferRange, error)
	// decode appends levels and values.
	decode(a *accumulator) error
}

// page is one page of a leaf's column.
type page struct {
	leaf   *leaf
	number int
	raw    *Page
	layout layout // nil until the page is read for the first time
	used   uint64 // when the page was last read, for dropping the layouts of pages long unused
}

// fault puts an error into its place: the file, the column and the page.
func (p *page) fault(err error) error {
	if err == nil {
		return nil
	}
	offset := int64(-1)
	if len(p.raw.Buffers) > 0 {
		offset = int64(p.raw.Buffers[0].Offset)
	}
	return p.leaf.fault(err, p.number, offset)
}

func (l *leaf) fault(err error, number int, offset int64) error {
	return columnFault(err, l.object, l.key, number, offset)
}

// columnFault adds to an error the file, the column, and the page unless it is negative; where the bytes are at fault, it
// makes it an errs.CorruptError.
func columnFault(err error, object, column string, page int, offset int64) error {
	where := fmt.Sprintf("column %s", column)
	if page >= 0 {
		where += fmt.Sprintf(", page %d", page)
	}
	var placed *errs.CorruptError
	if errors.Is(err, errs.ErrCorrupt) && !errors.As(err, &placed) {
		return errs.Corruptf(object, offset, "%s: %v", where, err)
	}
	return fmt.Errorf("%s: %s: %w", object, where, err)
}

// describe reads the page's description and makes its layout.
func (p *page) describe() error {
	if p.layout != nil {
		return nil
	}
	name := p.raw.TypeURL[strings.LastIndexByte(p.raw.TypeURL, '/')+1:]
	want := pageLayoutType
	if p.leaf.version.Minor >= 3 {
		want = planarType
	}
	if name != want {
		return errs.Unsupportedf("page encoding %q", name)
	}
	if len(p.raw.Encoding) > maxDescription {
		return corruptf("page description of %d bytes", len(p.raw.Encoding))
	}
	read := (*page).read
	if p.leaf.blobs {
		read = func(p *page) (layout, error) { return newBlobColumn(p, (*page).read) }
	}
	l, err := read(p)
	if err != nil {
		return err
	}
	p.layout = l
	return nil
}

// read makes the layout that the description tells of.
func (p *page) read() (layout, error) {
	if p.leaf.version.Minor >= 3 {
		var msg pb23.PlanarLayout
		if err := bounded.Unmarshal(p.raw.Encoding, &msg); err != nil {
			return nil, corruptf("page description: %w", err)
		}
		return newPlanar(p, &msg)
	}
	var msg pb.PageLayout
	if err := bounded.Unmarshal(p.raw.Encoding, &msg); err != nil {
		return nil, corruptf("page description: %w", err)
	}
	if err := checkStable(msg.ProtoReflect()); err != nil {
		return nil, err
	}
	return newLayout(p, &msg)
}

// events is how many events or items a page without lists has.
func (p *page) events() uint64 { return p.raw.Rows }

// buffers checks the number of the page's buffers.
func (p *page) buffers(want int) error {
	if len(p.raw.Buffers) != want {
		return corruptf("%d buffers, the layout has %d", len(p.raw.Buffers), want)
	}
	return nil
}
