package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/spf13/pflag"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func testFlags() *pflag.FlagSet { return serveCommand().Flags() }

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	file := writeFile(t, "c.toml", `
listen = "127.0.0.1:1"
drain = "3s"
data = ["a", "geo=b"]
insecure = true
memory = "2GB"
`)
	t.Setenv("FLIGHTSRV_LISTEN", "127.0.0.1:2")
	t.Setenv("FLIGHTSRV_DRAIN", "4s")
	t.Setenv("FLIGHTSRV_TLS_CERT", "cert.pem")
	flags := testFlags()
	if err := flags.Parse([]string{"--config", file, "--listen", "127.0.0.1:3"}); err != nil {
		t.Fatal(err)
	}
	if err := fillFlags(flags); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"listen": "127.0.0.1:3", "drain": "4s", "tls-cert": "cert.pem", "insecure": "true", "memory": "2000000000", "spill": ""} {
		if got := flags.Lookup(name).Value.String(); got != want {
			t.Errorf("--%s = %s, want %s", name, got, want)
		}
	}
	if data, _ := flags.GetStringArray("data"); !slices.Equal(data, []string{"a", "geo=b"}) {
		t.Errorf("--data = %q", data)
	}
	if d, _ := flags.GetDuration("drain"); d != 4*time.Second {
		t.Errorf("--drain = %v", d)
	}
}

func TestConfigFaults(t *testing.T) {
	tests := map[string]struct{ text, has string }{
		"unknown key":   {`lisen = "x"`, `no setting "lisen"`},
		"itself":        {`config = "x"`, `no setting "config"`},
		"table":         {"[serve]\nlisten = \"x\"", `no setting "serve"`},
		"wrong value":   {`drain = "soon"`, "drain"},
		"array for one": {`listen = ["a", "b"]`, "listen"},
		"no TOML":       {`listen`, "c.toml"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			flags := testFlags()
			if err := flags.Parse([]string{"--config", writeFile(t, "c.toml", tt.text)}); err != nil {
				t.Fatal(err)
			}
			if err := fillFlags(flags); err == nil || !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v, want a text with %q", err, tt.has)
			}
		})
	}
	t.Setenv("FLIGHTSRV_DRAIN", "soon")
	flags := testFlags()
	if err := fillFlags(flags); err == nil || !strings.Contains(err.Error(), "FLIGHTSRV_DRAIN") {
		t.Errorf("a wrong environment variable: %v", err)
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "512": 512, "1kb": 1000, "1KiB": 1024, "512MiB": 512 << 20, "2GB": 2e9, "1.5g": 15e8, "3 GiB": 3 << 30, "1t": 1e12, "10B": 10,
	} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want {
			t.Errorf("%s = %d, %v; want %d", text, b, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "0", "1e30", "1 light year", "MiB", "NaN"} {
		var b byteSize
		if err := b.Set(text); err == nil {
			t.Errorf("%q is taken as %d", text, b)
		}
	}
}

func TestExposure(t *testing.T) {
	both := serveFlags{users: "u", tlsCert: "c", tlsKey: "k"}
	for listen, loopback := range map[string]bool{
		"127.0.0.1:31337": true, "localhost:0": true, "[::1]:5": true, "127.8.9.1:5": true,
		"0.0.0.0:31337": false, ":31337": false, "[::]:5": false, "10.0.0.1:5": false, "example.org:5": false,
	} {
		for _, tt := range []struct {
			flags   serveFlags
			missing []string
		}{
			{serveFlags{}, []string{"--users", "--tls-cert"}},
			{serveFlags{users: both.users}, []string{"--tls-cert"}},
			{serveFlags{tlsCert: both.tlsCert, tlsKey: both.tlsKey}, []string{"--users"}},
			{both, nil},
			{serveFlags{insecure: true}, nil},
		} {
			tt.flags.listen = listen
			err := tt.flags.checkExposure()
			if loopback || tt.missing == nil {
				if err != nil {
					t.Errorf("%+v: %v", tt.flags, err)
				}
				continue
			}
			for _, flag := range []string{"--users", "--tls-cert"} {
				if err == nil || strings.Contains(err.Error(), flag) != slices.Contains(tt.missing, flag) {
					t.Errorf("%+v: %v", tt.flags, err)
				}
			}
		}
	}
	if err := (serveFlags{listen: "nonsense"}).checkExposure(); err == nil {
		t.Error("nonsense is taken as an address")
	}
}

func TestParseData(t *testing.T) {
	roots, err := parseData([]string{"/a=b/c", "geo=s3://x/y", "file:///z", "k-1=rel"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ name, uri string }{{"", "/a=b/c"}, {"geo", "s3://x/y"}, {"", "file:///z"}, {"k-1", "rel"}} {
		if roots[i].Name != want.name || roots[i].URI != want.uri {
			t.Errorf("root %d is %+v, want %+v", i, roots[i], want)
		}
	}
	if _, err := parseData(nil); err == nil {
		t.Error("no data is taken")
	}
}

func TestTicketKeyAndTLSFaults(t *testing.T) {
	if _, err := readTicketKey(writeFile(t, "k", "short")); err == nil {
		t.Error("a key of 5 bytes is taken")
	}
	if key, err := readTicketKey(writeFile(t, "k", "0123456789abcdef")); err != nil || len(key) != 16 {
		t.Errorf("%q, %v", key, err)
	}
	if _, err := (serveFlags{tlsCert: "c.pem"}).tlsConfig(); err == nil {
		t.Error("a certificate without its key is taken")
	}
	if c, err := (serveFlags{}).tlsConfig(); c != nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}

func TestAdvertise(t *testing.T) {
	for address, fine := range map[string]bool{
		"": true, "example.org:31337": true, "[::1]:5": true, "foo": false, ":5": false, "0.0.0.0:5": false, "[::]:5": false, "h:0": false, "h:x": false, "h:70000": false,
	} {
		if err := checkAdvertise(address); (err == nil) != fine {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestShownAddress(t *testing.T) {
	taken := &net.TCPAddr{IP: net.IPv6unspecified, Port: 77}
	for listen, want := range map[string]string{"0.0.0.0:0": "0.0.0.0:77", "localhost:0": "localhost:77", ":0": "[::]:77", "[::1]:77": "[::1]:77"} {
		if got := shownAddress(listen, taken); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
}

func TestBackendFaults(t *testing.T) {
	file := writeFile(t, "f", "x")
	tests := map[string]struct {
		data   string
		limits limits
		has    string
	}{
		"no such folder":     {filepath.Join(t.TempDir(), "no"), limits{}, "there is no such folder"},
		"a file":             {file, limits{}, "not a directory"},
		"a name's slip":      {"9x=" + t.TempDir(), limits{}, "there is no such folder"},
		"too little":         {t.TempDir(), limits{memory: 1}, "--memory"},
		"spill is no folder": {t.TempDir(), limits{spill: filepath.Join(file, "x")}, "--spill"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			be, err := openBackend(context.Background(), []string{tt.data}, tt.limits)
			if err == nil {
				_ = be.close()
				t.Fatal("is taken")
			}
			if !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v, want a text with %q", err, tt.has)
			}
		})
	}
}

func TestSpillFolderIsOurOwn(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "new")
	be, err := openBackend(context.Background(), []string{t.TempDir()}, limits{spill: parent})
	if err != nil {
		t.Fatal(err)
	}
	if made, err := os.ReadDir(parent); err != nil || len(made) != 1 || !made[0].IsDir() {
		t.Errorf("%v, %v: want one folder", made, err)
	}
	if err := be.close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: want nothing left", left, err)
	}
}

func TestExitCodes(t *testing.T) {
	for code, err := range map[int]error{
		0: nil, exitFault: errors.New("x"), exitInterrupted: plain(status.Error(codes.Canceled, "x")), exitNoReader: fmt.Errorf("write: %w", syscall.EPIPE),
	} {
		if got := exitCode(err); got != code {
			t.Errorf("%v: %d, want %d", err, got, code)
		}
	}
}

func TestParameterTexts(t *testing.T) {
	schema := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	for text, want := range map[string]int64{
		"2024-05-01 00:17:00": 1714522620000000, "2024-05-01T00:17:00Z": 1714522620000000, "2024-05-01 02:17:00+02:00": 1714522620000000, "2024-05-01": 1714521600000000,
	} {
		b := array.NewTimestampBuilder(allocator, schema)
		if err := appendText(b, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		a := b.NewTimestampArray()
		if a.Len() != 1 || int64(a.Value(0)) != want {
			t.Errorf("%s: %v, want %d", text, a, want)
		}
		a.Release()
		b.Release()
	}
}

// TestTimesKeepTheirDigits: the server announces milliseconds, for JDBC's driver.
func TestTimesKeepTheirDigits(t *testing.T) {
	zoned := &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}
	announced := arrow.NewSchema([]arrow.Field{{Name: "1", Type: zoned}, {Name: "2", Type: zoned}, {Name: "3", Type: arrow.FixedWidthTypes.Time32ms}}, nil)
	texts := []string{"2024-05-01 00:17:00.123456+00:00", "9999-12-31 00:00:00", "01:02:03.123456789"}
	b := array.NewRecordBuilder(allocator, valueTypes(announced, texts))
	defer b.Release()
	for i, text := range texts {
		if err := appendText(b.Field(i), text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	for i, want := range []string{"2024-05-01T00:17:00.123456Z", "9999-12-31T00:00:00Z", "01:02:03.123456789"} {
		if got := batch.Column(i).ValueStr(0); got != want {
			t.Errorf("%s came to be %s, want %s", texts[i], got, want)
		}
	}
}

func TestNumbersThatAreNotWhole(t *testing.T) {
	announced := arrow.NewSchema([]arrow.Field{{Name: "1", Type: arrow.PrimitiveTypes.Int32}, {Name: "2", Type: arrow.PrimitiveTypes.Int64}, {Name: "3", Type: arrow.BinaryTypes.String}}, nil)
	tests := map[string]struct {
		params []string
		want   []arrow.Type
	}{
		"whole":     {[]string{"7", "-7", "1.5"}, []arrow.Type{arrow.INT32, arrow.INT64, arrow.STRING}},
		"not whole": {[]string{"1.5", "1e3", "x"}, []arrow.Type{arrow.FLOAT64, arrow.FLOAT64, arrow.STRING}},
		"larger":    {[]string{"3000000000", "-9223372036854775808", ""}, []arrow.Type{arrow.INT64, arrow.INT64, arrow.STRING}},
		"unsigned":  {[]string{"18446744073709551615", "18446744073709551615", ""}, []arrow.Type{arrow.UINT64, arrow.UINT64, arrow.STRING}},
		"too large": {[]string{"99999999999999999999", "x", ""}, []arrow.Type{arrow.INT32, arrow.INT64, arrow.STRING}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for i, f := range valueTypes(announced, tt.params).Fields() {
				if f.Type.ID() != tt.want[i] {
					t.Errorf("%q as %s, want %s", tt.params[i], f.Type, tt.want[i])
				}
			}
			if announced.Field(0).Type.ID() != arrow.INT32 {
				t.Error("the announced schema was changed")
			}
		})
	}
}
