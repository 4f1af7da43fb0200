// Package testdata holds the demo tables, which `flightsrv demo` writes out and tests read, and the answers to queries
// over them. make_demo.py writes both.
package testdata

import "embed"

// Demo has demo/NAME.lance for each demo table: sst, events and worked.
//
//go:embed all:demo
var Demo embed.FS

// DemoAnswers is JSON: the answers to queries over the demo tables, computed from the values that were written.
//
//go:embed demo_expected.json
var DemoAnswers []byte
