package cloud

import (
	"context"
	"io"
	"time"
)

// driver makes single requests to one bucket. Keys are whole, from the bucket's root on. Failures are *fault.
type driver interface {
	// get asks for size bytes from offset on, or for all of the object where size is negative. With an etag, the object
	// must have it still.
	get(ctx context.Context, key string, offset, size int64, etag string) (*object, error)
	// head asks what an object is.
	head(ctx context.Context, key string) (attrs, error)
	// list asks for at most limit names that lie directly below a prefix, which is empty or ends in a slash, from the page on that
	// token names.
	list(ctx context.Context, prefix, token string, limit int) (*page, error)
}

// attrs describe an object. Etags come without the quotes around them.
type attrs struct {
	size int64
	etag string
	mod  time.Time
}

// object is the answer to a get.
type object struct {
	attrs
	body io.ReadCloser
	// offset and length are the part that the body holds, by the answer's own word.
	offset, length int64
}

// page is some of the names of a listing, in the order of the store.
type page struct {
	objects []listed
	folders []string // keys that end in a slash
	next    string   // token of the next page, empty at the end
}

type listed struct {
	key string
	attrs
}
