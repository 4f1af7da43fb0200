package planner

// ExplainRows is the text of EXPLAIN, for tests.
var ExplainRows = explainRows

// AppliedRules are the rules that changed something.
func AppliedRules(s *Statement) []string { return s.applied }
