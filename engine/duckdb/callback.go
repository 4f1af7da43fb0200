package duckdb

/*
#include <stdint.h>
#include <stdlib.h>

void flightsrv_scan_bind(void *info);
void flightsrv_scan_init(void *info);
void flightsrv_scan_fill(void *info, void *output);
void flightsrv_scan_free(void *data);
typedef void (*flightsrv_info_fn)(void *);
typedef void (*flightsrv_fill_fn)(void *, void *);

// A Go handle in memory of C, for DuckDB to keep.
static void *flightsrv_keep(uintptr_t handle) {
	uintptr_t *cell = malloc(sizeof *cell);
	if (cell) *cell = handle;
	return cell;
}
static uintptr_t flightsrv_kept(void *cell) { return *(uintptr_t *)cell; }
*/
import "C"

import (
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"unsafe"

	db "github.com/duckdb/duckdb-go-bindings"

	"github.com/lanceflight/flightsrv/errs"
)

// scanFunction is the table function that the views call with the number of their scan.
const scanFunction = "flightsrv_scan"

// keep hands a Go value to DuckDB, which gives it back to flightsrv_scan_free.
func keep(v any) unsafe.Pointer { return C.flightsrv_keep(C.uintptr_t(cgo.NewHandle(v))) }

func kept(p unsafe.Pointer) any { return cgo.Handle(C.flightsrv_kept(p)).Value() }

// registerScan registers the table function at an instance; it finds its scans in the registry.
func registerScan(conn db.Connection, reg *registry) error {
	f := db.CreateTableFunction()
	defer db.DestroyTableFunction(&f)
	db.TableFunctionSetName(f, scanFunction)
	param := db.CreateLogicalType(db.TypeBigInt)
	defer db.DestroyLogicalType(&param)
	db.TableFunctionAddParameter(f, param)
	free := unsafe.Pointer(C.flightsrv_info_fn(C.flightsrv_scan_free))
	db.TableFunctionSetExtraInfo(f, keep(reg), free)
	db.TableFunctionSetBind(f, unsafe.Pointer(C.flightsrv_info_fn(C.flightsrv_scan_bind)))
	db.TableFunctionSetInit(f, unsafe.Pointer(C.flightsrv_info_fn(C.flightsrv_scan_init)))
	db.TableFunctionSetFunction(f, unsafe.Pointer(C.flightsrv_fill_fn(C.flightsrv_scan_fill)))
	db.TableFunctionSupportsProjectionPushdown(f, true)
	if db.RegisterTableFunction(conn, f) == db.StateError {
		return fmt.Errorf("register the scan function: %w", errs.ErrInternal)
	}
	return nil
}

// guarded runs a callback; DuckDB can't take a panic, so one becomes the error of the scan.
func guarded(fail func(string), v *view, do func() error) {
	defer func() {
		if r := recover(); r != nil {
			err := fmt.Errorf("a scan broke: %v: %w", r, errs.ErrInternal)
			if v != nil {
				v.fail(err)
			}
			fail("scan failed")
		}
	}()
	if err := do(); err != nil {
		if v != nil {
			v.fail(err)
		}
		fail("scan failed")
	}
}

//export flightsrv_scan_bind
func flightsrv_scan_bind(p unsafe.Pointer) {
	info := db.BindInfo{Ptr: p}
	guarded(func(s string) { db.BindSetError(info, s) }, nil, func() error {
		reg, ok := kept(db.BindGetExtraInfo(info)).(*registry)
		if !ok {
			return errs.ErrInternal
		}
		arg := db.BindGetParameter(info, 0)
		v := reg.get(db.GetInt64(arg))
		db.DestroyValue(&arg)
		if v == nil {
			return errs.ErrInternal
		}
		for i, c := range v.carriers {
			lt := c.duck.logical()
			db.BindAddResultColumn(info, v.names[i], lt)
			db.DestroyLogicalType(&lt)
		}
		db.BindSetCardinality(info, db.IdxT(v.rows), false)
		db.BindSetBindData(info, keep(v), unsafe.Pointer(C.flightsrv_info_fn(C.flightsrv_scan_free)))
		return nil
	})
}

//export flightsrv_scan_init
func flightsrv_scan_init(p unsafe.Pointer) {
	info := db.InitInfo{Ptr: p}
	v, _ := kept(db.InitGetBindData(info)).(*view)
	guarded(func(s string) { db.InitSetError(info, s) }, v, func() error {
		cols := make([]int, db.InitGetColumnCount(info))
		for i := range cols {
			cols[i] = -1 // a virtual column, whose values are not looked at
			if at := db.InitGetColumnIndex(info, db.IdxT(i)); at < db.IdxT(len(v.carriers)) {
				cols[i] = int(at)
			}
		}
		r, err := v.open(cols)
		if err != nil {
			return err
		}
		db.InitSetMaxThreads(info, 1)
		db.InitSetInitData(info, keep(r), unsafe.Pointer(C.flightsrv_info_fn(C.flightsrv_scan_free)))
		return nil
	})
}

//export flightsrv_scan_fill
func flightsrv_scan_fill(p, output unsafe.Pointer) {
	info, chunk := db.FunctionInfo{Ptr: p}, db.DataChunk{Ptr: output}
	r, _ := kept(db.FunctionGetInitData(info)).(*reading)
	guarded(func(s string) { db.FunctionSetError(info, s) }, r.view, func() error {
		n, err := r.fill(chunk)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		db.DataChunkSetSize(chunk, db.IdxT(n))
		return nil
	})
}

//export flightsrv_scan_free
func flightsrv_scan_free(p unsafe.Pointer) {
	h := cgo.Handle(C.flightsrv_kept(p))
	if r, ok := h.Value().(*reading); ok {
		r.close()
	}
	h.Delete()
	C.free(p)
}
