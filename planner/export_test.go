package planner

// ExplainRows is the text of EXPLAIN, for tests.
var ExplainRows = explainRows
