package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/rs/zerolog"
)

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "demo")
	written, err := writeDemo(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "events.lance"), filepath.Join(dir, "sst.lance"), filepath.Join(dir, "worked.lance")}
	if !slices.Equal(written, want) {
		t.Errorf("wrote %q", written)
	}
	for _, table := range want {
		manifests, err := os.ReadDir(filepath.Join(table, "_versions"))
		if err != nil || len(manifests) == 0 {
			t.Errorf("%s has no manifest: %v", table, err)
		}
	}
	if _, err := writeDemo(dir); err == nil {
		t.Error("tables that are there are written over")
	}
}

// lineLog hands the lines of a log on.
type lineLog chan string

func (l lineLog) Write(b []byte) (int, error) {
	l <- string(bytes.TrimSpace(b))
	return len(b), nil
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	if _, err := writeDemo(dir); err != nil {
		t.Fatal(err)
	}
	lines := make(lineLog, 1000)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, serveFlags{data: []string{dir, "other=" + dir}, listen: "127.0.0.1:0", drain: 5 * time.Second}, zerolog.New(lines))
	}()
	_, address, found := strings.Cut(<-lines, "listening on grpc://")
	if !found {
		t.Fatal("the first line tells no address")
	}
	address = strings.TrimRight(address, `"}`)
	c, err := dial(ctx, queryFlags{server: "grpc://" + address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	info, err := c.sql.GetTables(ctx, &fsql.GetTablesOpts{IncludeSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.sql.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var got []string
	for r.Next() {
		for i := range int(r.RecordBatch().NumRows()) {
			got = append(got, r.RecordBatch().Column(0).ValueStr(i)+"."+r.RecordBatch().Column(2).ValueStr(i))
		}
	}
	if want := []string{"lance.events", "lance.sst", "lance.worked", "other.events", "other.sst", "other.worked"}; !slices.Equal(got, want) {
		t.Errorf("tables %q, %v", got, r.Err())
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		t.Error("the address is still listened on")
	}
}

func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	tests := map[string]struct {
		flags serveFlags
		has   string
	}{
		"no data":        {serveFlags{listen: "127.0.0.1:0"}, "--data"},
		"open to all":    {serveFlags{data: []string{dir}, listen: "0.0.0.0:0"}, "--insecure"},
		"twice":          {serveFlags{data: []string{dir, dir}, listen: "127.0.0.1:0"}, "name"},
		"scheme":         {serveFlags{data: []string{"ftp://x"}, listen: "127.0.0.1:0"}, "ftp"},
		"half of TLS":    {serveFlags{data: []string{dir}, listen: "127.0.0.1:0", tlsKey: "k"}, "--tls-cert"},
		"no users there": {serveFlags{data: []string{dir}, listen: "127.0.0.1:0", users: filepath.Join(dir, "none")}, "--users"},
		"no key there":   {serveFlags{data: []string{dir}, listen: "127.0.0.1:0", ticketKey: filepath.Join(dir, "none")}, "none"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := serve(context.Background(), tt.flags, zerolog.Nop())
			if err == nil || !strings.Contains(err.Error(), tt.has) {
				t.Errorf("%v, want a text with %q", err, tt.has)
			}
		})
	}
}

func TestQueryRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, f := range map[string]queryFlags{
		"nowhere":        {format: "table"},
		"two places":     {format: "table", data: []string{dir}, server: "grpc://127.0.0.1:1"},
		"unknown format": {format: "xml", data: []string{dir}},
		"no scheme":      {format: "table", server: "127.0.0.1:1"},
		"other scheme":   {format: "table", server: "http://127.0.0.1:1"},
		"nobody there":   {format: "table", server: "grpc://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := query(context.Background(), f, "SELECT 1", &out); err == nil || out.Len() > 0 {
				t.Errorf("%v, %q", err, out.String())
			}
		})
	}
}
