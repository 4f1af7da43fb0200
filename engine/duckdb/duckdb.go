// Package duckdb runs what is more than one scan (joins, aggregates, windows, sorts) on an embedded DuckDB, which sees
// each scan of a plan as a view that it can read any number of times, and whose results come back in the types of the
// tables. Arrow values go in and out of DuckDB's vectors by code of this package, so that none is refused or changed
// on the way (type carrier). It holds the only cgo of the module.
//
// DuckDB is locked down: no files, no network, no extensions, no settings but a statement's time zone, bounded memory, threads
// and temporary space; and of the SQL text that it is handed, only a single SELECT over the plan's own views and
// without functions that tell of the server passes.
package duckdb

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/planner/physical"
)

// Options bound what DuckDB may use; zero values stand for the defaults.
type Options struct {
	Memory     int64  // bytes of memory that DuckDB manages; 320 MiB
	Threads    int    // one for each 512 MiB of Memory, at least 1, at most the cores
	SpillDir   string // folder for what doesn't fit in memory; empty: nothing spills, such statements fail
	SpillBytes int64  // bytes in SpillDir; 16 GiB
}

func (o Options) withDefaults() Options {
	if o.Memory <= 0 {
		o.Memory = 320 << 20
	}
	if o.Threads <= 0 {
		// Each thread of a spilling sort pins blocks of its own runs: two threads could not merge 8 GB even in 384 MiB.
		o.Threads = min(max(1, int(o.Memory/(512<<20))), runtime.NumCPU())
	}
	if o.SpillBytes <= 0 {
		o.SpillBytes = 16 << 30
	}
	return o
}

// DB is an engine.Relational. It is safe for concurrent use.
type DB struct {
	opts Options

	mu     sync.Mutex
	inst   *instance
	closed bool
}

var _ engine.Relational = (*DB)(nil)

// Open starts DuckDB.
func Open(opts Options) (*DB, error) {
	d := &DB{opts: opts.withDefaults()}
	inst, err := startInstance(d.opts)
	if err != nil {
		return nil, err
	}
	d.inst = inst
	return d, nil
}

// Close stops DuckDB. No stream may be open.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	if n := d.inst.users; n > 0 {
		return fmt.Errorf("close: %d statements still run: %w", n, errs.ErrInternal)
	}
	d.closed = true
	d.inst.stop()
	return nil
}

// Describe gives the schema of a plan's result without running it.
func (d *DB) Describe(ctx context.Context, p *physical.Plan) (*arrow.Schema, error) {
	s, err := d.begin(ctx, p, nil) // no scan is opened, so nothing is allocated
	if err != nil {
		return nil, err
	}
	defer s.end()
	if err := s.prepare(p); err != nil {
		return nil, err
	}
	return s.schema, nil
}

// Run starts a plan; the stream's batches come from mem.
func (d *DB) Run(ctx context.Context, p *physical.Plan, mem memory.Allocator) (engine.Stream, error) {
	s, err := d.begin(ctx, p, mem)
	if err != nil {
		return nil, err
	}
	st, err := s.run(p)
	if err != nil {
		s.end()
		return nil, err
	}
	return st, nil
}

// vectorSlack is what DuckDB may hold beside twice the memory that it manages: values that its functions make within a
// vector of rows.
const vectorSlack = 512 << 20

// instance is one running DuckDB.
type instance struct {
	db     db.Database
	share  int64 // of what DuckDB may hold in this process
	reg    *registry
	fence  fence
	users  int  // statements that use it
	broken bool // DuckDB gave up: nothing new starts on it
}

func startInstance(o Options) (*instance, error) {
	var cfg db.Config
	if db.CreateConfig(&cfg) == db.StateError {
		return nil, fmt.Errorf("configure DuckDB: %w", errs.ErrInternal)
	}
	defer db.DestroyConfig(&cfg)
	settings := map[string]string{
		"threads": strconv.Itoa(o.Threads), "memory_limit": byteSize(o.Memory),
		"temp_directory": o.SpillDir, "max_temp_directory_size": byteSize(o.SpillBytes),
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
		"allow_community_extensions": "false", "allow_unsigned_extensions": "false",
	}
	for k, v := range settings {
		if db.SetConfig(cfg, k, v) == db.StateError {
			return nil, fmt.Errorf("configure DuckDB: the setting %s: %w", k, errs.ErrInternal)
		}
	}
	inst := &instance{reg: newRegistry(), share: 2*o.Memory + vectorSlack}
	allow(inst.share)
	var msg string
	if db.OpenExt(":memory:", &inst.db, cfg, &msg) == db.StateError {
		allow(-inst.share)
		return nil, fmt.Errorf("start DuckDB: %w", cleanError(msg))
	}
	if err := inst.lock(); err != nil {
		inst.stop()
		return nil, err
	}
	return inst, nil
}

func byteSize(n int64) string { return strconv.FormatInt(n, 10) + "B" }

// lock registers the scans' table function, looks up what statements may not call, and shuts all settings.
func (i *instance) lock() error {
	c, err := connect(i.db)
	if err != nil {
		return err
	}
	defer c.close()
	if err := registerScan(c.conn, i.reg); err != nil {
		return err
	}
	if i.fence, err = newFence(c); err != nil {
		return err
	}
	for _, sql := range []string{
		"SET enable_external_access = false",
		"SET allow_persistent_secrets = false",
		"SET allowed_configs = ['timezone', 'streaming_buffer_size']",
		"SET lock_configuration = true",
	} {
		if err := c.exec(sql); err != nil {
			return fmt.Errorf("lock DuckDB: %s: %w", sql, err)
		}
	}
	return nil
}

func (i *instance) stop() {
	db.Close(&i.db)
	allow(-i.share)
}

// acquire gives an instance that works; release gives it back.
func (d *DB) acquire() (*instance, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errs.New(errs.ErrUnavailable, "the relational engine is closed")
	}
	if d.inst.broken {
		inst, err := startInstance(d.opts)
		if err != nil {
			return nil, err
		}
		if d.inst.users == 0 {
			d.inst.stop()
		}
		d.inst = inst
	}
	d.inst.users++
	return d.inst, nil
}

func (d *DB) release(i *instance, broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i.users--
	i.broken = i.broken || broken
	if i != d.inst && i.users == 0 {
		i.stop()
	}
}

// connection is a connection of DuckDB.
type connection struct{ conn db.Connection }

func connect(d db.Database) (*connection, error) {
	c := &connection{}
	if db.Connect(d, &c.conn) == db.StateError {
		return nil, errNoMemory // it has no other reason, and tells none
	}
	return c, nil
}

func (c *connection) close() { db.Disconnect(&c.conn) }

// exec runs statements whose results nobody needs.
func (c *connection) exec(sql string) error {
	var res db.Result
	state := db.Query(c.conn, sql, &res)
	defer db.DestroyResult(&res)
	if state == db.StateError {
		return duckError(db.ResultError(&res))
	}
	return nil
}

// texts runs a query of one column of texts.
func (c *connection) texts(sql string) ([]string, error) {
	var res db.Result
	state := db.Query(c.conn, sql, &res)
	defer db.DestroyResult(&res)
	if state == db.StateError {
		return nil, cleanError(db.ResultError(&res))
	}
	var out []string
	for {
		chunk := db.FetchChunk(res)
		if chunk.Ptr == nil {
			return out, nil
		}
		n := int(db.DataChunkGetSize(chunk))
		in := values[duckString](db.DataChunkGetVector(chunk, 0), n)
		for i := range in {
			out = append(out, string(in[i].bytes()))
		}
		db.DestroyDataChunk(&chunk)
		if n == 0 {
			return out, nil
		}
	}
}

// duckError is an error text of DuckDB as it came.
type duckError string

func (e duckError) Error() string { return strings.TrimSpace(string(e)) }
