// Package flightsql is the gRPC edge: Flight SQL and plain Flight commands, sessions, prepared statements and tickets.
// It turns commands into statements that planner plans and engine runs, and their batches into Flight messages. Errors
// get their gRPC status here and only here (status.go).
//
// A result's way:
//
//	descriptor -> query (text, parameters, settings) -> planned (schema, plan) -> ticket, which holds the query itself
//	ticket -> query -> planned, at the same table versions -> batches of about 1 MiB -> the client
//
// Nothing about a result is kept between the two calls, so a ticket can be read at any server with the same key over the
// same storage, more than once. What is kept, bounded in count, bytes and time: prepared statements and sessions.
//
// Arrow's own package of this name is imported as fsql. Of its server only the taking apart of commands is used: its
// DoGet drops a batch whose write fails and hands chunk errors on as they are, so streams are written here (stream.go).
package flightsql
