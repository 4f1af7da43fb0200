package flightsql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/flight"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner"
)

// plainQuery reads a descriptor of plain Flight: a path is a whole table, a command a JSON object with a scan, or SQL
// text.
func (s *Server) plainQuery(ctx context.Context, d *flight.FlightDescriptor) (query, error) {
	q, err := s.newQuery(ctx)
	if err != nil {
		return q, err
	}
	switch d.GetType() {
	case flight.DescriptorPATH:
		q.Scan, err = pathScan(d.GetPath())
	case flight.DescriptorCMD:
		cmd := d.GetCmd()
		text := bytes.TrimLeft(cmd, " \t\r\n")
		switch {
		case len(text) == 0:
			err = errs.Invalidf("the descriptor's command is empty: it is SQL text, or a JSON object with a scan")
		case text[0] == '{':
			q.Scan, err = parseScan(text)
		case !utf8.Valid(cmd) || bytes.IndexByte(cmd, 0) >= 0:
			err = errs.Invalidf("the descriptor's command is neither a Flight SQL command, nor SQL text, nor a JSON object")
		default:
			q.SQL = string(cmd)
		}
	default:
		err = errs.Invalidf("the descriptor is neither a path nor a command")
	}
	return q, err
}

// pathScan reads ["t"], ["s","t"] or ["lance","s","t"]; the last part may hold a version, as in SQL.
func pathScan(path []string) (*planner.ScanRequest, error) {
	if len(path) == 0 || len(path) > 3 {
		return nil, errs.Invalidf("a path has 1 to 3 parts, [catalog, [schema,]] table; this one has %d", len(path))
	}
	parts := make([]string, len(path))
	for i, p := range path {
		if p == "" || !utf8.ValidString(p) {
			return nil, errs.Invalidf("part %d of the path is no name", i+1)
		}
		parts[i] = expr.QuoteIdent(p)
	}
	return &planner.ScanRequest{Table: strings.Join(parts, ".")}, nil
}

// maxScanBytes bounds a scan's JSON text.
const maxScanBytes = 16 << 20

// parseScan reads a scan's JSON object. Keys are matched exactly; an unknown one, a double one and a value of another
// type are errors. A null value is as if the key were not there.
func parseScan(text []byte) (*planner.ScanRequest, error) {
	if len(text) > maxScanBytes {
		return nil, errs.Invalidf("a scan command of %d bytes, at most %d are read", len(text), maxScanBytes)
	}
	r := &planner.ScanRequest{}
	targets := map[string]any{
		"table": &r.Table, "columns": &r.Columns, "filter": &r.Filter, "filter_expr": &r.FilterExpr, "lance_filter": &r.LanceFilter,
		"limit": &r.Limit, "offset": &r.Offset, "with_row_id": &r.WithRowID, "version": (*scanVersion)(&r.Version),
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if _, err := dec.Token(); err != nil {
		return nil, scanFault(dec, err)
	}
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, scanFault(dec, err)
		}
		name, _ := key.(string)
		to, known := targets[name]
		if !known {
			return nil, errs.Invalidf("scan command: no key %q; there are %s", clipMessage(name), strings.Join(scanKeys, ", "))
		}
		if seen[name] {
			return nil, errs.Invalidf("scan command: the key %q stands there twice", name)
		}
		seen[name] = true
		if err := dec.Decode(to); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return nil, errs.Invalidf("scan command: %q can't be a %s", name, wrong.Value)
			}
			return nil, scanFault(dec, err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, scanFault(dec, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errs.Invalidf("scan command: there is more after the JSON object")
	}
	return r, checkScan(r)
}

var scanKeys = []string{"table", "version", "columns", "filter", "filter_expr", "lance_filter", "limit", "offset", "with_row_id"}

func scanFault(dec *json.Decoder, err error) error {
	if errors.Is(err, errs.ErrInvalidInput) {
		return err
	}
	return errs.Invalidf("scan command: no JSON object, at byte %d: %v", dec.InputOffset(), err)
}

func checkScan(r *planner.ScanRequest) error {
	switch {
	case strings.TrimSpace(r.Table) == "":
		return errs.Invalidf("scan command: the key \"table\" is needed")
	case r.Limit != nil && *r.Limit < 0:
		return errs.Invalidf("scan command: limit %d is below 0", *r.Limit)
	case r.Offset < 0:
		return errs.Invalidf("scan command: offset %d is below 0", r.Offset)
	case r.Filter != "" && (r.FilterExpr != "" || r.LanceFilter != ""):
		return errs.Invalidf("scan command: filter stands alone, it can't be joined with filter_expr or lance_filter")
	}
	return nil
}

// scanVersion reads a version: a whole number, or a text with a tag.
type scanVersion string

// UnmarshalJSON takes a number or a text.
func (v *scanVersion) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(v))
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		return errs.Invalidf("scan command: \"version\" is a whole number or a tag, not %s", clipMessage(string(b)))
	}
	*v = scanVersion(strconv.FormatUint(n, 10))
	return nil
}

// ListFlights lists all tables, each by its path of three parts. A table that can't be read stands there without a
// schema.
func (e *edge) ListFlights(c *flight.Criteria, stream flight.FlightService_ListFlightsServer) error {
	if len(c.GetExpression()) > 0 {
		return errs.Invalidf("ListFlights takes no criteria here: leave them empty, and pick from the list")
	}
	ctx := stream.Context()
	set, err := e.s.settingsOf(ctx)
	if err != nil {
		return err
	}
	names, err := e.s.tableNames(ctx, set, tableType, nil, nil, nil)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(names, 64) {
		infos, err := e.s.tableInfos(ctx, chunk)
		if err != nil {
			return err
		}
		for i, name := range chunk {
			info := &flight.FlightInfo{
				FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: name},
				TotalRecords:     infos[i].rows,
				TotalBytes:       -1,
				Ordered:          true,
			}
			if infos[i].err == nil {
				info.Schema = flight.SerializeSchema(set.Nested.Schema(infos[i].schema), e.s.mem)
			}
			if err := stream.Send(info); err != nil {
				return err
			}
		}
	}
	return nil
}
