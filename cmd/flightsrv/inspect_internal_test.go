package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/lanceflight/flightsrv/lanceio"
)

const inspectTables = "../../lanceio/testdata/tables"

// TestInspectGolden runs the command on tables of lanceio's tests.
func TestInspectGolden(t *testing.T) {
	datadriven.RunTest(t, filepath.Join("testdata", "inspect.txt"), func(t *testing.T, d *datadriven.TestData) string {
		var out bytes.Buffer
		cmd := root()
		args := []string{d.Cmd, filepath.Join(inspectTables, d.CmdArgs[0].Key)}
		for _, a := range d.CmdArgs[1:] {
			args = append(args, "--"+a.Key, a.Vals[0])
		}
		cmd.SetArgs(args)
		cmd.SetOut(&out)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			return out.String() + "error: " + err.Error() + "\n"
		}
		return out.String()
	})
}

// The README shows what the command prints.
func TestInspectInREADME(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := inspect(t.Context(), "../../testdata/demo/worked.lance", "", "table", &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "inspect /tmp/demo/worked.lance\n```\n```text\n"+out.String()+"```\n") {
		t.Errorf("the README does not show:\n%s", out.String())
	}
}

func TestInspectJSON(t *testing.T) {
	var out bytes.Buffer
	if err := inspect(t.Context(), filepath.Join(inspectTables, "indexed.lance"), "", "json", &out); err != nil {
		t.Fatal(err)
	}
	var x lanceio.Inspection
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&x); err != nil {
		t.Fatal(err)
	}
	tab, err := lanceio.Open(t.Context(), filepath.Join(inspectTables, "indexed.lance"))
	if err != nil {
		t.Fatal(err)
	}
	if x.Table != "indexed" || x.Rows != tab.Rows() || len(x.Fragments) != len(tab.Fragments()) || len(x.Columns) != 4 || len(x.Indices) != 3 {
		t.Errorf("%+v", x)
	}
}

func TestInspectVersionInURI(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "odd.lance@7")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ uri, flag, wantURI, wantVersion, err string }{
		{uri: "a/t.lance", wantURI: "a/t.lance"},
		{uri: "a/t.lance@7", wantURI: "a/t.lance", wantVersion: "7"},
		{uri: "s3://b/t.lance@x:", wantURI: "s3://b/t.lance", wantVersion: "x:"},
		{uri: "a/t.lance", flag: "v1", wantURI: "a/t.lance", wantVersion: "v1"},
		{uri: "a/t.lance@7", flag: "8", err: "two versions are given"},
		{uri: "a.lance@b/t.lance", wantURI: "a.lance@b/t.lance"},
		{uri: odd, wantURI: odd},
	} {
		version := c.flag
		got, err := versionInURI(c.uri, &version)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v", c.uri, err)
			}
			continue
		}
		if err != nil || got != c.wantURI || version != c.wantVersion {
			t.Errorf("%s: %s and %q (%v), want %s and %q", c.uri, got, version, err, c.wantURI, c.wantVersion)
		}
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 10240: "10.0 KiB", 200 << 10: "200 KiB", 3 << 29: "1.5 GiB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
