package expr

// String gives the node as SQL text.
func (e *Column) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Literal) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Param) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Compare) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Logical) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Not) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *In) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Between) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *IsNull) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *IsTruth) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Like) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Arith) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Neg) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Cast) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Case) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Call) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Extract) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Index) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Match) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *StatsTest) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *StatsState) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Aggregate) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Window) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Subquery) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *Lambda) String() string { return Printer{}.Print(e) }

// String gives the node as SQL text.
func (e *LambdaParam) String() string { return Printer{}.Print(e) }
