package flightsql

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow/flight"
	fsql "github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/lanceflight/flightsrv/catalog"
	"github.com/lanceflight/flightsrv/errs"
)

// actions are what DoAction takes.
var actions = []struct{ name, text string }{
	{fsql.CreatePreparedStatementActionType, "Flight SQL: prepares a statement"},
	{fsql.ClosePreparedStatementActionType, "Flight SQL: forgets a prepared statement"},
	{flight.CancelFlightInfoActionType, "stops the streams of a FlightInfo"},
	{fsql.CancelQueryActionType, "Flight SQL: stops the streams of a FlightInfo (older form)"},
	{flight.RenewFlightEndpointActionType, "gives an endpoint a new time of expiry"},
	{flight.SetSessionOptionsActionType, "sets options of the session, and begins one"},
	{flight.GetSessionOptionsActionType, "gives the options of the session"},
	{flight.CloseSessionActionType, "ends the session"},
}

// refusedActions are those of the protocol that are refused with a text of their own, and so are not listed.
var refusedActions = []string{
	fsql.BeginTransactionActionType, fsql.EndTransactionActionType, fsql.BeginSavepointActionType, fsql.EndSavepointActionType,
	fsql.CreatePreparedSubstraitPlanActionType,
}

// ListActions lists what DoAction takes.
func (e *edge) ListActions(_ *flight.Empty, stream flight.FlightService_ListActionsServer) error {
	for _, a := range actions {
		if err := stream.Send(&flight.ActionType{Type: a.name, Description: a.text}); err != nil {
			return err
		}
	}
	return nil
}

// DoAction refuses an action that there is not; Arrow's server takes the others apart.
func (e *edge) DoAction(a *flight.Action, stream flight.FlightService_DoActionServer) error {
	names := make([]string, len(actions))
	for i, known := range actions {
		names[i] = known.name
	}
	if !slices.Contains(names, a.GetType()) && !slices.Contains(refusedActions, a.GetType()) {
		return errs.Invalidf("there is no action %q%s; ListActions tells all", clipMessage(a.GetType()), catalog.Near(a.GetType(), names))
	}
	return e.FlightServer.DoAction(a, stream)
}
