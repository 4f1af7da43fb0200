package cloud_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/objstore/cloud"
)

// bucket is a server of Google's JSON interface over objects in memory, with faults.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	gen     map[string]int
	page    int // most names of a page
	asked   []string
	// before may answer in place of the server; it is given the number of the request.
	before func(n int, w http.ResponseWriter, r *http.Request) bool
	// body may send something else than the bytes.
	body func(w http.ResponseWriter, b []byte)
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	n := len(b.asked)
	b.asked = append(b.asked, r.URL.String())
	b.mu.Unlock()
	if b.before != nil && b.before(n, w, r) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	const top = "/storage/v1/b/box/o"
	if r.URL.Path == top {
		b.list(w, r)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, top+"/")
	data, ok := b.objects[name]
	if !ok {
		http.Error(w, `{"error": {"errors": [{"reason": "notFound"}]}}`, http.StatusNotFound)
		return
	}
	if r.URL.Query().Get("alt") != "media" {
		_ = json.NewEncoder(w).Encode(b.describe(name))
		return
	}
	if g := r.URL.Query().Get("ifGenerationMatch"); g != "" && g != strconv.Itoa(b.gen[name]) {
		http.Error(w, `{"error": {"errors": [{"reason": "conditionNotMet"}]}}`, http.StatusPreconditionFailed)
		return
	}
	w.Header().Set("X-Goog-Generation", strconv.Itoa(b.gen[name]))
	if b.body != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		b.body(w, data)
		return
	}
	http.ServeContent(w, r, "", time.Unix(0, 0), bytes.NewReader(data))
}

func (b *bucket) describe(name string) map[string]any {
	return map[string]any{"name": name, "size": strconv.Itoa(len(b.objects[name])), "generation": strconv.Itoa(b.gen[name]), "updated": time.Unix(0, 0)}
}

func (b *bucket) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	limit, _ := strconv.Atoi(q.Get("maxResults"))
	limit = min(limit, b.page)
	names := map[string]bool{}
	for name := range b.objects {
		rest, ok := strings.CutPrefix(name, q.Get("prefix"))
		if !ok {
			continue
		}
		if first, _, deeper := strings.Cut(rest, q.Get("delimiter")); deeper {
			rest = first + "/"
		}
		names[q.Get("prefix")+rest] = true
	}
	answer := map[string]any{}
	var items, prefixes []any
	count := 0
	for _, name := range sorted(names) {
		if name <= q.Get("pageToken") {
			continue
		}
		if count == limit {
			break
		}
		count++
		if answer["nextPageToken"] = name; strings.HasSuffix(name, "/") {
			prefixes = append(prefixes, name)
		} else {
			items = append(items, b.describe(name))
		}
	}
	if count < limit {
		delete(answer, "nextPageToken")
	}
	answer["items"], answer["prefixes"] = items, prefixes
	_ = json.NewEncoder(w).Encode(answer)
}

func sorted(names map[string]bool) []string {
	var out []string
	for n := range names {
		out = append(out, n)
	}
	for i := range out {
		for k := i + 1; k < len(out); k++ {
			if out[k] < out[i] {
				out[i], out[k] = out[k], out[i]
			}
		}
	}
	return out
}

// newBucket starts a server, and opens the store below the prefix "p".
func newBucket(t *testing.T, o cloud.Options) (*bucket, objstore.Store) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
	b := &bucket{objects: map[string][]byte{}, gen: map[string]int{}, page: 1000}
	srv := httptest.NewServer(b)
	o.Pause = time.Microsecond
	if o.Stall == 0 {
		o.Stall = 20 * time.Second
	}
	op := cloud.NewOpener(o)
	t.Cleanup(func() {
		_ = op.Close()
		srv.CloseClientConnections()
		srv.Close()
	})
	s, err := op.Open("gs://box/p?anonymous=true&endpoint=" + srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	return b, s
}

func (b *bucket) put(name string, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[name] = data
	b.gen[name] = len(b.gen) + b.gen[name] + 1
}

func TestStore(t *testing.T) {
	b, s := newBucket(t, cloud.Options{})
	b.page = 2
	for _, name := range []string{"p/", "p/a b%2F.bin", "p/d/e/f", "p/d/g", "p/h", "p/i", "p//odd", "q"} {
		b.put(name, []byte(name))
	}
	infos, err := s.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range infos {
		got = append(got, fmt.Sprintf("%s %t %d", i.Name, i.Dir, i.Size))
	}
	if s := strings.Join(got, ", "); s != "a b%2F.bin false 12, d true 0, h false 3, i false 3" {
		t.Errorf("there are %s", s)
	}
	first, more, err := objstore.ListFirst(t.Context(), s, "d", 1)
	if err != nil || len(first) != 1 || first[0].Name != "e" || !more {
		t.Errorf("%v %t %v", first, more, err)
	}
	sub, err := objstore.Sub(s, "d")
	if err != nil {
		t.Fatal(err)
	}
	if objstore.Parallel(sub) != 128 {
		t.Errorf("%d requests at once", objstore.Parallel(sub))
	}
	data, etag, err := objstore.ReadAll(t.Context(), sub, "e/f", 100)
	if err != nil || string(data) != "p/d/e/f" || etag == "" {
		t.Errorf("%s %s %v", data, etag, err)
	}
	for name, dir := range map[string]bool{"h": false, "d": true, "d/e": true, "": true} {
		if info, err := s.Stat(t.Context(), name); err != nil || info.Dir != dir || info.Name != name {
			t.Errorf("%q: %+v %v", name, info, err)
		}
	}
	for _, name := range []string{"none", "a", "d/none"} {
		_, serr := s.Stat(t.Context(), name)
		_, oerr := s.Open(t.Context(), name)
		_, lerr := s.List(t.Context(), name)
		_, _, rerr := objstore.ReadAll(t.Context(), s, name, 10)
		for _, err := range []error{serr, oerr, lerr, rerr} {
			if !errors.Is(err, errs.ErrNotFound) || strings.Contains(err.Error(), "p/") {
				t.Errorf("%s: %v, want not found", name, err)
			}
		}
	}
	if _, err := s.Open(t.Context(), "../q"); !errors.Is(err, errs.ErrInvalidInput) {
		t.Errorf("%v, want invalid", err)
	}
}

// TestNeverMixed reads an object that is replaced by another one of the same size while it is read, at every request.
func TestNeverMixed(t *testing.T) {
	old, young := bytes.Repeat([]byte("a"), 9<<20), bytes.Repeat([]byte("b"), 9<<20)
	for at := range 3 {
		b, s := newBucket(t, cloud.Options{Requests: 1})
		b.put("p/x", old)
		b.before = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
			if n == at {
				b.put("p/x", young)
			}
			return false
		}
		r, err := objstore.OpenKnown(t.Context(), s, "x", objstore.Info{Size: int64(len(old))})
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.ReadRanges(t.Context(), []objstore.Range{{Offset: 0, Size: int64(len(old))}, {Offset: 5, Size: 1}})
		switch {
		case at == 0:
			if err != nil || !bytes.Equal(got[0], young) || got[1][0] != 'b' {
				t.Errorf("replaced before: %v", err)
			}
		case !errors.Is(err, errs.ErrConflict):
			t.Errorf("replaced before request %d: %v, want conflict", at, err)
		}
	}
}

func TestAnswersThatLie(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 100)
	for name, tt := range map[string]struct {
		head func(h http.Header)
		code int
		body []byte
		kind error
	}{
		"another part":     {func(h http.Header) { h.Set("Content-Range", "bytes 20-29/1000") }, 206, data[20:30], errs.ErrUnavailable},
		"a shorter part":   {func(h http.Header) { h.Set("Content-Range", "bytes 10-14/1000") }, 206, data[10:15], errs.ErrUnavailable},
		"range passed by":  {func(http.Header) {}, 200, data, errs.ErrUnavailable},
		"another size":     {func(h http.Header) { h.Set("Content-Range", "bytes 10-19/999") }, 206, data[10:20], errs.ErrCorrupt},
		"no range":         {func(h http.Header) { h.Set("Content-Range", "bytes ten") }, 206, data[10:20], errs.ErrUnavailable},
		"huge range":       {func(h http.Header) { h.Set("Content-Range", "bytes 10-99999999999999999999/1000") }, 206, data[10:20], errs.ErrUnavailable},
		"body that is cut": {func(h http.Header) { h.Set("Content-Range", "bytes 10-19/1000"); h.Set("Content-Length", "10") }, 206, data[10:12], errs.ErrUnavailable},
		"forbidden":        {func(http.Header) {}, 403, []byte("https://signed.url/?secret=hush"), errs.ErrPermissionDenied},
		"too short":        {func(http.Header) {}, 416, nil, errs.ErrCorrupt},
		"elsewhere":        {func(h http.Header) { h.Set("Location", "") }, 301, nil, errs.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := newBucket(t, cloud.Options{Attempts: 2})
			b.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
				tt.head(w.Header())
				w.Header().Set("X-Goog-Generation", "1")
				w.WriteHeader(tt.code)
				_, _ = w.Write(tt.body)
				return true
			}
			r, err := objstore.OpenKnown(t.Context(), s, "x", objstore.Info{Size: 1000})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.ReadRanges(t.Context(), []objstore.Range{{Offset: 10, Size: 10}})
			if !errors.Is(err, tt.kind) {
				t.Fatalf("%v, want %v", err, tt.kind)
			}
			if s := err.Error(); strings.Contains(s, "hush") || strings.Contains(s, "://") || !strings.Contains(s, "x") {
				t.Errorf("error %q", s)
			}
		})
	}
}

// TestResumes reads from a server that ends each answer after 100 KiB.
func TestResumes(t *testing.T) {
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i * i >> 8)
	}
	b, s := newBucket(t, cloud.Options{Attempts: 3})
	b.put("p/x", data)
	b.before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("alt") != "media" {
			return false
		}
		var from, to int
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
			return false
		}
		w.Header().Set("X-Goog-Generation", strconv.Itoa(b.gen["p/x"]))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(data)))
		w.Header().Set("Content-Length", strconv.Itoa(to-from+1))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(data[from:min(to+1, from+100<<10)])
		return true
	}
	r, err := s.Open(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ReadRanges(t.Context(), []objstore.Range{{Offset: 1, Size: int64(len(data)) - 1}})
	if err != nil || !bytes.Equal(got[0], data[1:]) {
		t.Errorf("%v", err)
	}
}

func TestAttemptsEnd(t *testing.T) {
	b, s := newBucket(t, cloud.Options{Attempts: 4})
	b.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "", http.StatusServiceUnavailable)
		return true
	}
	if _, err := s.List(t.Context(), ""); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("%v, want unavailable", err)
	}
	if len(b.asked) != 4 {
		t.Errorf("%d attempts, want 4", len(b.asked))
	}
	ctx, cancel := context.WithCancel(t.Context())
	b.before = func(int, http.ResponseWriter, *http.Request) bool { cancel(); return false }
	if _, err := s.List(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want canceled", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for uri, want := range map[string]string{
		"s3://":                                         "s3://bucket/prefix",
		"s3://key:hush@bucket/a":                        "s3://bucket/prefix",
		"s3://bucket:9000/a":                            "s3://bucket/prefix",
		"s3://bucket/a?hush=1":                          "no parameter hush",
		"s3://bucket/a?region=x&region=y":               "given twice",
		"s3://bucket/a?anonymous=perhaps":               "true or false",
		"s3://bucket/%zz?endpoint=hush":                 "no URI",
		"gs://bucket/a?region=x":                        "no parameter region",
		"azblob://box/a?protocol=ftp&storage_account=x": "http or https",
		"ftp://host/a?hush":                             "unknown scheme",
	} {
		_, err := cloud.Open(uri)
		if !errors.Is(err, errs.ErrInvalidInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", uri, err, want)
		}
		if err != nil && want != "no parameter hush" && strings.Contains(err.Error(), "hush") {
			t.Errorf("%q tells a secret", err)
		}
	}
	if _, err := cloud.Open(t.TempDir()); err != nil {
		t.Error(err)
	}
}
