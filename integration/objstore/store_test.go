//go:build integration

package objstore_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/integration/serve"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/objstore"
	"github.com/lanceflight/flightsrv/objstore/cloud"
)

// put stores an object by pylance's file system, which is not ours.
func put(t testing.TB, key string, data []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	python(t, lake.endpoint, "put.py", bucket+"/"+key, file)
}

func TestReplacedObject(t *testing.T) {
	startLake(t)
	data := make([]byte, 300<<10)
	_, _ = rand.Read(data)
	put(t, "loose/object", data)
	s, err := opener(t, cloud.Options{}).Open("s3://" + bucket + "/loose")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "object")
	if err != nil {
		t.Fatal(err)
	}
	late, err := objstore.OpenKnown(t.Context(), s, "object", objstore.Info{Size: int64(len(data))})
	if err != nil {
		t.Fatal(err)
	}
	ranges := []objstore.Range{{Offset: 0, Size: 10}, {Offset: 299 << 10, Size: 1 << 10}, {Offset: 5, Size: 0}, {Offset: 7, Size: 200 << 10}}
	for _, r := range []objstore.Reader{r, late} {
		got, err := r.ReadRanges(t.Context(), ranges)
		if err != nil {
			t.Fatal(err)
		}
		for i, rg := range ranges {
			if !bytes.Equal(got[i], data[rg.Offset:rg.Offset+rg.Size]) {
				t.Errorf("range %v gives other bytes", rg)
			}
		}
	}
	if r.ETag() == "" || r.ETag() != late.ETag() {
		t.Errorf("etags %q and %q", r.ETag(), late.ETag())
	}
	_, _ = rand.Read(data)
	put(t, "loose/object", data)
	for _, r := range []objstore.Reader{r, late} {
		if _, err := r.ReadRanges(t.Context(), ranges[:1]); !errors.Is(err, errs.ErrConflict) {
			t.Errorf("%v, want conflict", err)
		}
	}
	if _, err := mustKnown(t, s, int64(len(data))-1).ReadRanges(t.Context(), ranges[:1]); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("another size: %v, want corrupt", err)
	}
	all, etag, err := objstore.ReadAll(t.Context(), s, "object", 1<<20)
	if err != nil || !bytes.Equal(all, data) || etag == r.ETag() {
		t.Errorf("%d bytes with etag %s, %v", len(all), etag, err)
	}
	if _, _, err := objstore.ReadAll(t.Context(), s, "object", 100); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("too large: %v, want corrupt", err)
	}
}

func mustKnown(t testing.TB, s objstore.Store, size int64) objstore.Reader {
	t.Helper()
	r, err := objstore.OpenKnown(t.Context(), s, "object", objstore.Info{Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestErrors(t *testing.T) {
	startLake(t)
	for _, tt := range []struct {
		name, uri string
		env       map[string]string
		kind      error
		text      string
	}{
		{"no table", uri("none"), nil, errs.ErrNotFound, "there is no table none"},
		{"no bucket", "s3://another-bucket/t.lance", nil, errs.ErrNotFound, ""},
		{"wrong secret", uri("many"), map[string]string{"AWS_SECRET_ACCESS_KEY": secretKey + "x"}, errs.ErrPermissionDenied, "SignatureDoesNotMatch"},
		{"unknown key", uri("many"), map[string]string{"AWS_ACCESS_KEY_ID": "nobody"}, errs.ErrPermissionDenied, "may not read it"},
		{"anonymous", uri("many") + "?anonymous=true", nil, errs.ErrPermissionDenied, "AccessDenied"},
		{"no credentials", uri("many"), map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, errs.ErrPermissionDenied, "no credentials"},
		{"nobody listens", uri("many"), map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, errs.ErrUnavailable, "refuses connections"},
		{"unknown parameter", uri("many") + "?secret=" + secretKey, nil, errs.ErrInvalidInput, "no parameter secret"},
		{"user", "s3://" + accessKey + ":" + secretKey + "@" + bucket + "/t.lance", nil, errs.ErrInvalidInput, "s3://bucket/prefix"},
		{"flag", uri("many") + "?use_path_style=maybe", nil, errs.ErrInvalidInput, "true or false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for k, v := range tt.env {
				t.Setenv(k, v)
			}
			_, err := lanceio.Open(t.Context(), tt.uri, lanceio.WithStoreOpener(opener(t, cloud.Options{Attempts: 2}).Open))
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%v, want %v with %q", err, tt.kind, tt.text)
			}
			noSecrets(t, err)
		})
	}
}

// TestListings looks at what is asked to find tables and versions.
func TestListings(t *testing.T) {
	p := startLake(t)
	s, err := opener(t, cloud.Options{}).Open("s3://" + bucket + "/tables/")
	if err != nil {
		t.Fatal(err)
	}
	infos, err := s.List(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range infos {
		if !i.Dir {
			t.Errorf("%s is no folder", i.Name)
		}
		names = append(names, i.Name)
	}
	if got := strings.Join(names, " "); got != "big.lance changed.lance deep far.lance indexed.lance many.lance plain_2_0.lance plain_2_1.lance plain_2_2.lance" {
		t.Errorf("there are %s", got)
	}
	if seen := p.take(); len(seen) != 1 {
		t.Errorf("%d requests: %v", len(seen), seen)
	}
	for name, want := range map[string]struct {
		dir  bool
		kind error
	}{"": {true, nil}, "deep": {true, nil}, "deep/inner.lance/_versions": {true, nil}, "dee": {false, errs.ErrNotFound}, "deep/inner": {false, errs.ErrNotFound}} {
		info, err := s.Stat(t.Context(), name)
		if !errors.Is(err, want.kind) || info.Dir != want.dir {
			t.Errorf("%q: %+v, %v", name, info, err)
		}
	}
	if _, err := s.List(t.Context(), "dee"); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("%v, want not found", err)
	}
	p.take()
	// The newest of many versions is found by the start of a listing.
	python(t, lake.endpoint, "versions.py")
	tb, err := lanceio.Open(t.Context(), "s3://"+bucket+"/versions.lance")
	if err != nil || tb.Version() != 121 {
		t.Errorf("version %d, %v", tb.Version(), err)
	}
	if seen := p.take(); len(seen) != 2 || !strings.Contains(seen[0].query, "max-keys=100") {
		t.Errorf("%d requests: %v", len(seen), seen)
	}
}

func TestDiskCache(t *testing.T) {
	p := startLake(t)
	dir := t.TempDir()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	want := wanted(t, mem, "far")
	defer want.Release()
	run := func(size int64) int {
		t.Helper()
		cache, err := cloud.NewDiskCache(dir, size)
		if err != nil {
			t.Fatal(err)
		}
		p.take()
		tb, err := lanceio.Open(t.Context(), uri("far"), lanceio.WithStoreOpener(opener(t, cloud.Options{Cache: cache}).Open))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second scan knows the files' etags from the start
			got := scanned(t, mem, tb)
			same(t, got, want)
			got.Release()
		}
		return len(p.take())
	}
	first := run(1 << 30)
	again := run(1 << 30)
	// All that a new process asks for is the listing of manifests and, for its etag, the end of each file.
	if again != 101 || first <= again {
		t.Errorf("%d requests, then %d, want 101", first, again)
	}
	damage(t, dir)
	run(1 << 30)
	run(1 << 20)
	if n := folderSize(t, dir); n > 1<<20 {
		t.Errorf("the cache takes %d bytes", n)
	}
}

// damage changes a byte of each file of a cache, and cuts some.
func damage(t testing.TB, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.range"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for i, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/2] ^= 1
		if i%3 == 0 {
			b = b[:len(b)/2]
		}
		if err := os.WriteFile(f, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func folderSize(t testing.TB, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		st, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		n += st.Size()
	}
	return n
}

// TestLimit looks at scans that end early: rows are those of a scan of all, and little is read for them.
func TestLimit(t *testing.T) {
	p := startLake(t)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	tb, err := lanceio.Open(t.Context(), uri("many"), lanceio.WithStoreOpener(opener(t, cloud.Options{}).Open))
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range []string{"", "id % 7 = 1"} {
		opts := []lanceio.ScanOption{lanceio.Columns(expr.FieldPath{"id"})}
		if filter != "" {
			opts = append(opts, lanceio.Filter(filter))
		}
		all := scanned(t, mem, tb, opts...)
		defer all.Release()
		for _, tt := range []struct{ offset, limit int64 }{{0, 1}, {0, 57}, {0, 58}, {3, 400}, {399, 2}, {400, 400}, {801, 1}, {4000, 1000}, {39_999, 5}, {5000, 0}, {100_000, 3}} {
			p.take()
			got := scanned(t, mem, tb, append(opts, lanceio.Offset(tt.offset), lanceio.Limit(tt.limit))...)
			start := min(tt.offset, all.NumRows())
			want := all.NewSlice(start, min(start+tt.limit, all.NumRows()))
			same(t, got, want)
			got.Release()
			want.Release()
			if seen := p.take(); tt.offset == 0 && len(seen) > 3 {
				t.Errorf("%q: %d requests for %d rows: %v", filter, len(seen), tt.limit, seen)
			}
		}
	}
}

// TestInspect describes a table by its URI as it does the server's own folder.
func TestInspect(t *testing.T) {
	startLake(t)
	for _, name := range []string{"changed", "plain_2_2", "far", "indexed"} {
		for _, format := range []string{"json", "table"} {
			t.Run(name+" "+format, func(t *testing.T) {
				inspect := func(uri string) string {
					cmd := exec.Command(serve.Binary(), "inspect", uri, "--format", format)
					cmd.Stderr = os.Stderr
					out, err := cmd.Output()
					if err != nil {
						t.Fatalf("%s: %v", uri, err)
					}
					return strings.ReplaceAll(string(out), uri, "URI")
				}
				far, near := inspect(uri(name)), inspect(filepath.Join(lake.folder, bucket, "tables", name+".lance"))
				if far != near {
					t.Errorf("%s\nwant\n%s", far, near)
				}
				if !strings.Contains(far, "id") || !strings.Contains(far, "int64") {
					t.Errorf("no columns are described:\n%s", far)
				}
			})
		}
	}
}

// TestServer reads through the built program.
func TestServer(t *testing.T) {
	p := startLake(t)
	addr := serve.Start(t, "s3://"+bucket+"/tables").Addr
	t.Run("pyarrow", func(t *testing.T) {
		script := filepath.Join(serve.Root(), "integration", "objstore", "read.py")
		serve.RunChecks(t, exec.Command(serve.Python(), script, "--server", addr, "--want", lake.want))
	})
	p.take()
	for _, tt := range []struct{ data, sql, want string }{
		{"s3://" + bucket + "/tables", "SELECT count(*) AS n FROM many WHERE id % 400 < 2", "n\n200\n"},
		{uri("plain_2_1"), "SELECT sum(id) AS n FROM plain_2_1", "n\n12497500\n"},
		{"lake=" + uri("changed") + "?endpoint=" + p.url, `SELECT count(*) AS n FROM lake.main."changed@1"`, "n\n3000\n"},
	} {
		out, err := exec.Command(serve.Binary(), "query", "--data", tt.data, "--format", "csv", tt.sql).Output()
		if err != nil || string(out) != tt.want {
			t.Errorf("%s: %s, %v", tt.sql, out, err)
		}
	}
	for _, r := range p.take() {
		if strings.Contains(r.query, "list-type") && !strings.Contains(r.query, "delimiter=%2F") {
			t.Errorf("a listing goes deep: %s", r.query)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong")
	cmd := exec.Command(serve.Binary(), "serve", "--listen", "127.0.0.1:0", "--data", uri("many")+"?region=us-east-1")
	var stderr strings.Builder
	cmd.Stderr = io.MultiWriter(&stderr)
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "may not read it") {
		t.Errorf("%v: %s", err, stderr.String())
	}
	noSecrets(t, errors.New(stderr.String()))
}
