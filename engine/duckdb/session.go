package duckdb

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/engine"
	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/physical"
	"github.com/lanceflight/flightsrv/scan"
)

// session is one statement on a connection of its own.
type session struct {
	db     *DB
	inst   *instance
	conn   *connection
	ctx    context.Context //nolint:containedctx // of the run: it outlives the call that made it
	cancel context.CancelCauseFunc
	mem    memory.Allocator
	zone   string

	parts  []physical.FailingPart
	views  []*view
	ids    []int64
	broken bool
	// keptBytes is the size of the rows that views keep.
	keptBytes int64

	stmt     db.PreparedStatement
	prepared bool
	carriers []*carrier // of the result's columns
	schema   *arrow.Schema
}

// begin opens a connection on which the plan's scans are views.
func (d *DB) begin(ctx context.Context, p *physical.Plan, mem memory.Allocator) (*session, error) {
	if err := engine.Canceled(ctx); err != nil {
		return nil, err
	}
	inst, err := d.acquire()
	if err != nil {
		return nil, err
	}
	s := &session{db: d, inst: inst, mem: mem, zone: p.TimeZone, parts: p.MayFail}
	if s.zone == "" {
		s.zone = "UTC"
	}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if s.conn, err = connect(inst.db); err != nil {
		s.end()
		return nil, err
	}
	if err := s.setUp(p); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

func (s *session) setUp(p *physical.Plan) error {
	if err := s.exec("SET SESSION TimeZone = " + quoteText(s.zone)); err != nil {
		if errors.Is(err, errs.ErrInvalidInput) {
			return errs.Invalidf("there is no time zone %q", s.zone)
		}
		return err
	}
	if err := s.inst.fence.check(p.Residual); err != nil {
		return err
	}
	// DuckDB counts just the fixed width of what it buffers of a result: its default of 1 MB may be gigabytes of texts.
	if err := s.exec("SET streaming_buffer_size = '32KiB'"); err != nil {
		return err
	}
	for _, sc := range p.Scans {
		v, err := newView(s.ctx, sc, s.mem)
		if err != nil {
			return err
		}
		id := s.inst.reg.add(v)
		s.views, s.ids = append(s.views, v), append(s.ids, id)
		sql := fmt.Sprintf("CREATE TEMP VIEW %s AS SELECT * FROM %s(%d)", expr.QuoteIdent(sc.View), scanFunction, id)
		if err := s.exec(sql); err != nil {
			return fmt.Errorf("view %s: %w", sc.View, err)
		}
	}
	return nil
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// exec runs a statement of our own.
func (s *session) exec(sql string) error {
	stop := s.watch(s.ctx)
	defer stop()
	err := s.explain(s.conn.exec(sql))
	if errors.Is(err, errLost) {
		err = s.explain(s.conn.exec(sql))
	}
	return err
}

// errLost stands for an error that DuckDB met and lost: when one of its threads fails it interrupts the others, and
// where one of these is quicker to tell, "Interrupted!" is all that is left. Running the statement again finds it.
var errLost = errs.New(errs.ErrInternal, "the statement failed, and the relational engine lost the reason")

// watch interrupts DuckDB, and the scans that it reads, when ctx ends before stop is called.
func (s *session) watch(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.cancel(context.Cause(ctx))
		for { // an interrupt that comes before DuckDB has begun is lost, so one is not enough
			db.Interrupt(s.conn.conn)
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	var once sync.Once
	return func() {
		once.Do(func() {
			close(done)
			if !unhook() {
				<-ended
			}
		})
	}
}

// explain turns an error of DuckDB into one for the caller: a cancellation, what a scan met, or DuckDB's own text.
func (s *session) explain(err error) error {
	var text duckError
	if err == nil || !errors.As(err, &text) {
		return err
	}
	s.broken = s.broken || fatal(string(text))
	if err := engine.Canceled(s.ctx); err != nil {
		return err
	}
	for _, v := range s.views {
		if cause := v.failure(); cause != nil {
			return cause
		}
	}
	if strings.HasPrefix(string(text), "INTERRUPT Error") {
		return errLost
	}
	clean := cleanError(s.nameColumns(string(text)))
	if parts := failing(s.parts, string(text)); len(parts) > 0 {
		return &physical.PartFault{Parts: parts, Err: clean}
	}
	return clean
}

// sourceColumn is how DuckDB names the column that a conversion failed on; the name is a view's.
var sourceColumn = regexp.MustCompile(` when casting from source column (.+)`)

// nameColumns puts the table's own name of a column into an error's text; where views share the name, none.
func (s *session) nameColumns(text string) string {
	return sourceColumn.ReplaceAllStringFunc(text, func(m string) string {
		name, found := sourceColumn.FindStringSubmatch(m)[1], ""
		for _, v := range s.views {
			for _, col := range v.scan.Columns {
				if col.Name != name {
					continue
				}
				if is := col.Expr.String(); found == "" || found == is {
					found = is
				} else {
					return ""
				}
			}
		}
		if found == "" {
			return ""
		}
		return " in " + found
	})
}

// prepare has DuckDB bind the plan's SQL text and finds how the result's columns come back.
func (s *session) prepare(p *physical.Plan) error {
	if s.prepared {
		db.DestroyPrepare(&s.stmt)
	}
	stop := s.watch(s.ctx)
	state := db.Prepare(s.conn.conn, p.Residual, &s.stmt)
	stop()
	s.prepared = true
	if state == db.StateError {
		return s.explain(duckError(db.PrepareError(s.stmt)))
	}
	if t := db.PreparedStatementType(s.stmt); t != db.StatementTypeSelect || db.NParams(s.stmt) != 0 {
		return refused("something other than a query")
	}
	n := int(db.PreparedStatementColumnCount(s.stmt))
	if n != len(p.Columns) {
		return unexpectedColumns(len(p.Columns), n)
	}
	fields, carriers := make([]arrow.Field, n), make([]*carrier, n)
	for i, col := range p.Columns {
		t := parseType(db.PreparedStatementColumnLogicalType(s.stmt, db.IdxT(i)))
		c, err := s.resultCarrier(col, t)
		if err != nil {
			return &physical.ColumnFault{Index: i, Name: col.Name, Err: err}
		}
		carriers[i] = c
		fields[i] = engine.ResultField(col, c.arrow, true)
	}
	schema := arrow.NewSchema(fields, nil)
	if s.schema != nil && !s.schema.Equal(schema) {
		return fmt.Errorf("a result of %v became one of %v: %w", s.schema, schema, errs.ErrInternal)
	}
	s.carriers, s.schema = carriers, schema
	return nil
}

// unexpectedColumns is the fault of a plan that gives another number of columns than it was made for: unnest makes several of a
// struct, and of what some functions give DuckDB alone tells whether it is one.
func unexpectedColumns(want, got int) error {
	if got > want {
		return errs.Unsupportedf("unnest of a struct whose type is not told by its expression is not supported: cast it, as in unnest(CAST(x AS STRUCT(a BIGINT)))")
	}
	return fmt.Errorf("a plan of %d columns gives %d: %w", want, got, errs.ErrInternal)
}

// resultCarrier gives the way back of a result column: to the planned type where DuckDB's is the carrier of it. The
// type of a computed column is DuckDB's, whatever was planned.
func (s *session) resultCarrier(col physical.ResultColumn, t *duckType) (*carrier, error) {
	want := col.Type
	if col.Passthrough != nil {
		want = col.Passthrough.Type
	}
	if want != nil {
		if c, err := carrierFor(want); err == nil && c.duck.equal(t) {
			return c, nil
		}
	}
	if col.Passthrough != nil {
		return nil, fmt.Errorf("a column that is just read, of type %s, changed its type: %w", want, errs.ErrInternal)
	}
	return natural(t, s.zone)
}

// materialize copies the scans that the statement reads often into temporary tables, which take the views' names; it
// tells whether there were any.
func (s *session) materialize(p *physical.Plan) (any bool, err error) {
	for i, sc := range p.Scans {
		if !sc.Reread {
			continue
		}
		any = true
		name := expr.QuoteIdent(sc.View)
		if err := s.exec("DROP VIEW " + name); err != nil {
			return true, fmt.Errorf("view %s: %w", sc.View, err)
		}
		sql := fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * FROM %s(%d)", name, scanFunction, s.ids[i])
		if err := s.exec(sql); err != nil {
			return true, err
		}
	}
	return any, nil
}

func (s *session) metrics() []scan.Metrics {
	out := make([]scan.Metrics, len(s.views))
	for i, v := range s.views {
		out[i] = v.metrics()
	}
	return out
}

// end frees all that the statement holds. Nothing of it may be running.
func (s *session) end() {
	s.cancel(nil)
	if s.prepared {
		db.DestroyPrepare(&s.stmt)
	}
	if s.conn != nil {
		s.conn.close()
	}
	for _, id := range s.ids {
		s.inst.reg.drop(id)
	}
	for _, v := range s.views {
		releaseAll(v.kept)
	}
	s.db.release(s.inst, s.broken)
}
