// Command bench runs what run.py asks of it with lanceio, as worker.py does with pylance: a workload as a line of JSON on
// stdin, then a request a line, each answered by a line on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/lanceio"
	"github.com/lanceflight/flightsrv/scan"
)

// spec is a workload.
type spec struct {
	Op      string    `json:"op"` // scan or take
	Table   string    `json:"table"`
	Columns []string  `json:"columns"` // names, or paths whose parts are joined by dots
	Between *between  `json:"between"`
	Indices [][]int64 `json:"indices"` // of the takes, one set after the other
}

// between is the condition on the values of an n-d array.
type between struct {
	Variable string  `json:"variable"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// request asks for some passes of the workload.
type request struct {
	Passes int `json:"passes"`
}

// answer is what these took, in seconds, bytes and kB.
type answer struct {
	Wall     float64 `json:"wall"`
	CPU      float64 `json:"cpu"`
	Rows     int64   `json:"rows"`
	Bytes    int64   `json:"bytes"`
	Requests int64   `json:"requests"`
	PeakKB   int64   `json:"peak_kb"`
}

func main() {
	profile := flag.String("cpuprofile", "", "file to write a CPU profile to")
	flag.Parse()
	if err := run(context.Background(), *profile); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, profile string) error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var s spec
	if err := readLine(in, &s); err != nil {
		return err
	}
	w, err := newWorkload(ctx, s)
	if err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for {
		var r request
		if err := readLine(in, &r); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		a, err := w.answer(ctx, r.Passes)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(a); err != nil {
			return err
		}
	}
}

func readLine(in *bufio.Reader, to any) error {
	line, err := in.ReadBytes('\n')
	if err != nil && len(line) == 0 {
		return err
	}
	return json.Unmarshal(line, to)
}

// cacheBytes is what the cache of metadata may take.
const cacheBytes = 64 << 20

// workload is what is run, over a table that is open.
type workload struct {
	spec  spec
	table *lanceio.Table
	opts  []lanceio.ScanOption
	scan  *lanceio.Scan
	turn  int
}

func newWorkload(ctx context.Context, s spec) (*workload, error) {
	w := &workload{spec: s}
	var paths []expr.FieldPath
	for _, c := range s.Columns {
		paths = append(paths, strings.Split(c, "."))
	}
	w.opts = append(w.opts, lanceio.Columns(paths...))
	if b := s.Between; b != nil {
		w.opts = append(w.opts, lanceio.FilterExpr(expr.Path(b.Variable, "values").Between(expr.Lit(b.Low), expr.Lit(b.High))))
	}
	var err error
	if w.table, err = lanceio.Open(ctx, s.Table, lanceio.WithCache(lanceio.NewCache(cacheBytes))); err != nil {
		return nil, err
	}
	if s.Op == "scan" {
		w.scan, err = w.table.NewScan(w.opts...)
	}
	return w, err
}

// once is one pass.
func (w *workload) once(ctx context.Context) (rows int64, m scan.Metrics, err error) {
	if w.spec.Op == "take" {
		w.turn++
		b, m, err := w.table.Take(ctx, memory.DefaultAllocator, w.spec.Indices[w.turn%len(w.spec.Indices)], w.opts...)
		if err != nil {
			return 0, m, err
		}
		defer b.Release()
		return b.NumRows(), m, nil
	}
	st, err := w.scan.Open(ctx, memory.DefaultAllocator)
	if err != nil {
		return 0, m, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	for {
		b, err := st.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, st.Metrics(), nil
		}
		if err != nil {
			return 0, m, err
		}
		rows += b.NumRows()
		b.Release()
	}
}

func (w *workload) answer(ctx context.Context, passes int) (*answer, error) {
	a := &answer{}
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	cpu, start := cpuTime(), time.Now()
	for range passes {
		rows, m, err := w.once(ctx)
		if err != nil {
			return nil, err
		}
		a.Rows += rows
		a.Bytes += m.BytesRead
		a.Requests += m.ReadRequests
	}
	a.Wall, a.CPU = time.Since(start).Seconds(), cpuTime()-cpu
	a.PeakKB = peakKB()
	return a, nil
}

// cpuTime gives the seconds of CPU that the process has used.
func cpuTime() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakKB gives the most memory that the process had since the peak began anew, 0 where the system does not tell.
func peakKB() int64 {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}
