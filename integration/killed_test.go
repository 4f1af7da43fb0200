//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/lanceflight/flightsrv/integration/serve"
)

// longStatements run for long: a scan, an endless join, an aggregate that gives nothing until it ends, a sort that spills.
var longStatements = []string{
	"SELECT * FROM large",
	"SELECT a.id, b.text FROM large a, large b",
	"SELECT count(*) FROM large a, large b WHERE a.x < b.x",
	"SELECT * FROM large ORDER BY text",
}

// holdings is what a server holds on to: files and connections, memory, and what it has spilled.
type holdings struct {
	files, residentMB, spilledMB int64
}

func holdingsOf(t *testing.T, pid int, spill string) holdings {
	t.Helper()
	open, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	h := holdings{files: int64(len(open)), residentMB: residentMB(pid)}
	_ = filepath.WalkDir(spill, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				h.spilledMB += info.Size() >> 20
			}
		}
		return nil // files come and go
	})
	return h
}

// idleLimitMB bounds the memory of a server that has nothing to do: Go and DuckDB keep some for what comes next. A hundred
// clients with a few batches each would be well above.
const idleLimitMB = 150

// within tells whether no more is held than before.
func (h holdings) within(before holdings) bool {
	return h.files <= before.files+2 && h.residentMB <= idleLimitMB && h.spilledMB == 0
}

// killClients has a hundred clients end in the midst of a result: killed, over their deadline, or by a cancel. What the
// server held for them comes back, and another client is served all the time.
func killClients(t *testing.T, data string) {
	spill := t.TempDir()
	server := serve.Start(t, data, "--memory", "192MiB", "--spill", spill)
	endClients(t, server.Addr, 8) // what is opened once, is open then
	before := holdingsOf(t, server.PID, spill)
	endClients(t, server.Addr, 100)
	var after holdings
	for range 120 {
		if after = holdingsOf(t, server.PID, spill); after.within(before) {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Errorf("after 100 clients that ended early the server holds %+v, before them %+v", after, before)
}

func endClients(t *testing.T, addr string, n int) {
	t.Helper()
	client, err := flightsql.NewClient(addr, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	var all sync.WaitGroup
	places := make(chan struct{}, 10)
	for i := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			sql := longStatements[i%len(longStatements)]
			if i/len(longStatements)%2 == 0 {
				killClient(t, addr, sql)
			} else {
				leave(t, client, sql, i%3 == 0)
			}
		})
		if i%20 == 0 {
			out, err := exec.Command(serve.Binary(), "query", "--server", "grpc://"+addr, "--format", "csv", "SELECT max(id) AS n FROM large").CombinedOutput()
			if want := "n\n499999\n"; err != nil || string(out) != want {
				t.Errorf("beside clients that die: %v, %s", err, out)
			}
		}
	}
	all.Wait()
}

// killClient kills a client that has begun to read, or waits for its first row.
func killClient(t *testing.T, addr, sql string) {
	cmd := exec.Command(serve.Binary(), "query", "--server", "grpc://"+addr, "--format", "csv", sql)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	if strings.HasPrefix(sql, "SELECT count") || strings.Contains(sql, "ORDER BY") {
		time.Sleep(300 * time.Millisecond)
	} else if _, err := io.CopyN(io.Discard, out, 256<<10); err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
}

// leave ends a call by its deadline, or cancels it.
func leave(t *testing.T, client *flightsql.Client, sql string, deadline bool) {
	info, err := client.Execute(context.Background(), sql)
	if err != nil {
		t.Error(err)
		return
	}
	ctx, end := context.WithCancel(context.Background())
	if deadline {
		ctx, end = context.WithTimeout(ctx, 300*time.Millisecond)
	} else {
		time.AfterFunc(300*time.Millisecond, end)
	}
	defer end()
	r, err := client.DoGet(ctx, info.GetEndpoint()[0].GetTicket())
	if err == nil {
		for r.Next() {
			time.Sleep(10 * time.Millisecond) // a client that is slower than the server
		}
		err = r.Err()
		r.Release()
	}
	if err == nil {
		t.Error(fmt.Errorf("%s was over before its client left", sql))
	}
}
