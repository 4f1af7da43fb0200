package logical

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/expr"
	"github.com/lanceflight/flightsrv/planner/sqltext"
)

// currentSetting binds current_setting('name') and current_setting('name', missing_ok): an option of the session as a text.
func (b *binder) currentSetting(x *sqltext.FuncCall) (expr.Expr, error) {
	if len(x.Args) != 1 && len(x.Args) != 2 {
		return nil, b.errorf(x.Pos, "current_setting takes the name of an option, and whether there may be none")
	}
	name, ok, err := b.settingName(x.Args[0])
	if err != nil {
		return nil, err
	}
	missing := &sqltext.BoolLit{}
	if len(x.Args) == 2 && ok {
		missing, ok = x.Args[1].(*sqltext.BoolLit)
	}
	if !ok {
		return nil, b.errorf(x.Pos, "current_setting takes the name of an option as a text as it stands, and TRUE or FALSE")
	}
	if name == nil {
		return &expr.Literal{Typ: expr.Text("").Typ}, nil
	}
	if b.o.Setting != nil {
		if value, ok := b.o.Setting(strings.ToLower(name.Value)); ok {
			return expr.Text(value), nil
		}
	}
	if missing.Value {
		return &expr.Literal{Typ: expr.Text("").Typ}, nil
	}
	return nil, b.fault(errs.ErrInvalidInput, name.Pos, "SHOW ALL lists the options", "there is no option %q", name.Value)
}

// settingName gives the text that names an option, as it stands or bound to a parameter: nil for one that is not bound or NULL.
func (b *binder) settingName(x sqltext.Expr) (name *sqltext.StringLit, ok bool, err error) {
	p, isParam := x.(*sqltext.ParamRef)
	if !isParam {
		name, ok = x.(*sqltext.StringLit)
		return name, ok, nil
	}
	e, err := b.param(p)
	if err != nil {
		return nil, false, err
	}
	b.wantType(e, expr.Text("").Typ)
	l, bound := e.(*expr.Literal)
	if !bound || l.Value == nil {
		return nil, true, nil
	}
	text, ok := l.Value.(string)
	return &sqltext.StringLit{At: p.At, Value: text}, ok, nil
}

// serverVariables are those of MySQL's variables that clients ask for when they connect, as they are here. The names of character
// sets are MySQL's.
var serverVariables = map[string]*expr.Literal{
	"autocommit": expr.Int(1), "character_set_client": expr.Text("utf8mb4"), "character_set_connection": expr.Text("utf8mb4"),
	"character_set_results": expr.Text("utf8mb4"), "character_set_server": expr.Text("utf8mb4"), "max_allowed_packet": expr.Int(sqltext.MaxTextBytes),
	"transaction_isolation": expr.Text("READ-COMMITTED"), "tx_isolation": expr.Text("READ-COMMITTED"),
	"version": expr.Text(serverName), "version_comment": expr.Text(serverName),
}

// serverVariable binds @@name.
func (b *binder) serverVariable(x *sqltext.FuncCall) (expr.Expr, error) {
	var name *sqltext.StringLit
	if len(x.Args) == 1 {
		name, _ = x.Args[0].(*sqltext.StringLit)
	}
	if name == nil {
		return nil, b.unknownFunction(x.Name, x.Pos)
	}
	if name.Value == "time_zone" {
		return expr.Text(cmp.Or(b.o.TimeZone, "UTC")), nil
	}
	if l := serverVariables[name.Value]; l != nil {
		return l, nil
	}
	names := append(slices.Sorted(maps.Keys(serverVariables)), "time_zone")
	return nil, b.fault(errs.ErrInvalidInput, x.Pos, cmp.Or(didYouMean(name.Value, names), "@@version is there, and SHOW ALL for the options"),
		"there is no server variable @@%s", name.Value)
}
