// Package cloud opens object stores as objstore.Store: Amazon S3 and what speaks its protocol (s3://), Google Cloud
// Storage (gs://) and Azure Blob Storage (azblob://), through the vendors' own credentials chains.
//
// A read is whole or an error. Each request names the etag that the object had when it was first met, so that an object
// that is replaced in between is an errs.ErrConflict and no mixture. Requests that fail for a while (5xx, throttling,
// connections that break, bodies that end early or stall) are made again, from the byte that was reached, after pauses
// that grow and are drawn at random. Error texts hold names relative to the store's root and the service's error codes,
// never a URL, which may be signed.
package cloud

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// Options change how stores are read; zero values stand for the defaults.
type Options struct {
	// Requests bounds the requests in flight over all stores that one Opener opened; 128 for 0.
	Requests int
	// Attempts is how often a request is made in all while it makes no progress; 8 for 0.
	Attempts int
	// Pause is about how long the first pause before a further attempt is, each later one twice as long up to 100 times
	// this; 50 ms for 0.
	Pause time.Duration
	// Stall is how long a request may wait for the next bytes before it is given up and made again; 30 s for 0.
	Stall time.Duration
	// Cache keeps ranges on disk; nil for none.
	Cache *DiskCache
}

// Opener opens stores that share a bound on requests, connections and a cache. It is safe for concurrent use.
type Opener struct {
	o      Options
	places *semaphore.Weighted
	http   *http.Client
}

// NewOpener makes an Opener.
func NewOpener(o Options) *Opener {
	if o.Requests <= 0 {
		o.Requests = 128
	}
	if o.Attempts <= 0 {
		o.Attempts = 8
	}
	if o.Pause <= 0 {
		o.Pause = 50 * time.Millisecond
	}
	if o.Stall <= 0 {
		o.Stall = 30 * time.Second
	}
	return &Opener{o: o, places: semaphore.NewWeighted(int64(o.Requests)), http: &http.Client{Transport: newTransport(o.Requests)}}
}

// Open opens the store whose root a URI names: a local path or file:// URI, s3://bucket/prefix, gs://bucket/prefix or
// azblob://container/prefix. A query after it tells how the store is reached (see docs/reference.md). No request is made.
func (o *Opener) Open(uri string) (objstore.Store, error) {
	scheme, _, ok := strings.Cut(uri, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "s3" && scheme != "gs" && scheme != "azblob" {
		return objstore.Open(uri)
	}
	u, err := url.Parse(uri)
	if err != nil { // its text would hold the URI whole
		return nil, errs.Invalidf("%q is no URI", objstore.Display(uri))
	}
	if u.User != nil || u.Host == "" || u.Port() != "" || u.Fragment != "" {
		return nil, errs.Invalidf("%q: a URI of an object store takes the form %s://bucket/prefix", objstore.Display(uri), scheme)
	}
	prefix, err := objstore.Clean(strings.Trim(u.Path, "/"))
	if err != nil {
		return nil, err
	}
	q, err := newParams(u)
	if err != nil {
		return nil, err
	}
	// Credentials are looked for with the first request; only files are read here.
	var d driver
	switch scheme {
	case "s3":
		d, err = newS3(context.Background(), o, u.Host, q)
	case "gs":
		d, err = newGCS(o, u.Host, q)
	default:
		d, err = newAzure(o, u.Host, q)
	}
	if err == nil {
		err = q.rest()
	}
	if err != nil {
		return nil, errs.New(errs.ErrInvalidInput, "%s: %w", objstore.Display(uri), err)
	}
	return &store{o: o, d: d, prefix: prefix, place: scheme + "://" + u.Host, ordered: !strings.HasSuffix(u.Host, "--x-s3")}, nil
}

// Open opens one store by an Opener of its own; see Opener.Open.
func Open(uri string) (objstore.Store, error) { return NewOpener(Options{}).Open(uri) }

// Close lets go of idle connections. Stores that are open go on to work.
func (o *Opener) Close() error {
	o.http.CloseIdleConnections()
	return nil
}

// newTransport makes connections of which many are kept: requests run side by side, and HTTP/2 would put all on one.
func newTransport(requests int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	configure(t, requests)
	return t
}

func configure(t *http.Transport, requests int) {
	t.MaxIdleConns = 2 * requests
	t.MaxIdleConnsPerHost = requests
	t.DisableCompression = true // bytes are wanted as they are stored
	t.ForceAttemptHTTP2 = false
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
}

// params are the parameters of a URI's query, each taken once.
type params struct {
	values url.Values
}

func newParams(u *url.URL) (*params, error) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errs.Invalidf("%s: its query can't be read", objstore.Display(u.String()))
	}
	for name, v := range q {
		if len(v) > 1 {
			return nil, errs.Invalidf("%s: parameter %q is given twice", objstore.Display(u.String()), name)
		}
	}
	return &params{q}, nil
}

// text takes a parameter, "" where it is not given.
func (p *params) text(name string) string {
	v := p.values.Get(name)
	p.values.Del(name)
	return v
}

// flag takes a parameter that is true or false; given tells that it is there.
func (p *params) flag(name string) (on, given bool, err error) {
	switch strings.ToLower(p.text(name)) {
	case "":
		return false, false, nil
	case "true", "1":
		return true, true, nil
	case "false", "0":
		return false, true, nil
	}
	return false, false, errors.New("parameter " + name + " takes true or false")
}

// rest refuses parameters that nothing took.
func (p *params) rest() error {
	for name := range p.values {
		return errors.New("there is no parameter " + name)
	}
	return nil
}
