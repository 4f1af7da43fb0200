package flightsql

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/lanceflight/flightsrv/errs"
)

// What Flight SQL has and this server has not is refused with a text that says what to do instead.
var (
	errSubstrait    = errs.Unsupportedf("Substrait plans are not taken: send SQL")
	errTransactions = errs.Unsupportedf("there are no transactions: each statement stands for itself")
)

// GetFlightInfoSubstraitPlan refuses.
func (s *Server) GetFlightInfoSubstraitPlan(context.Context, fsql.StatementSubstraitPlan, *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	return nil, errSubstrait
}

// GetSchemaSubstraitPlan refuses.
func (s *Server) GetSchemaSubstraitPlan(context.Context, fsql.StatementSubstraitPlan, *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	return nil, errSubstrait
}

// CreatePreparedSubstraitPlan refuses.
func (s *Server) CreatePreparedSubstraitPlan(context.Context, fsql.ActionCreatePreparedSubstraitPlanRequest) (fsql.ActionCreatePreparedStatementResult, error) {
	return fsql.ActionCreatePreparedStatementResult{}, errSubstrait
}

// BeginTransaction refuses.
func (s *Server) BeginTransaction(context.Context, fsql.ActionBeginTransactionRequest) ([]byte, error) {
	return nil, errTransactions
}

// EndTransaction refuses.
func (s *Server) EndTransaction(context.Context, fsql.ActionEndTransactionRequest) error {
	return errTransactions
}

// BeginSavepoint refuses.
func (s *Server) BeginSavepoint(context.Context, fsql.ActionBeginSavepointRequest) ([]byte, error) {
	return nil, errTransactions
}

// EndSavepoint refuses.
func (s *Server) EndSavepoint(context.Context, fsql.ActionEndSavepointRequest) error {
	return errTransactions
}
