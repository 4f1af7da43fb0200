package flightsql_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	pb "github.com/apache/arrow-go/v18/arrow/flight/gen/flight"
)

const conformance = "../docs/flight-sql.md"

// tableRows gives the cells of the rows of docs/flight-sql.md whose first cell matches.
func tableRows(t *testing.T, first *regexp.Regexp) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(conformance)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if key := strings.Trim(cells[0], "`"); strings.HasPrefix(line, "|") && first.MatchString(key) {
			rows[key] = cells
		}
	}
	return rows
}

// TestDocumentedSqlInfo holds the table of SqlInfo codes to what the server answers.
func TestDocumentedSqlInfo(t *testing.T) {
	f := start(t)
	info, err := f.client.GetSqlInfo(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.client.DoGet(context.Background(), info.GetEndpoint()[0].GetTicket())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	documented := tableRows(t, regexp.MustCompile(`^\d+$`))
	seen := 0
	for r.Next() {
		ids, values := r.RecordBatch().Column(0).(*array.Uint32), r.RecordBatch().Column(1).(*array.DenseUnion)
		for i := range ids.Len() {
			id := fmt.Sprint(ids.Value(i))
			child := values.Field(values.ChildID(i))
			want := []string{id, "`" + pb.SqlInfo_name[int32(ids.Value(i))] + "`", infoText(id, child.ValueStr(int(values.ValueOffset(i))))}
			seen++
			if got := documented[id]; !slices.Equal(got, want) {
				t.Errorf("%s says %q, the server %q", conformance, got, "| "+strings.Join(want, " | ")+" |")
			}
		}
	}
	if seen != len(documented) || seen != len(pb.SqlInfo_name) {
		t.Errorf("%d codes are documented, %d answered, the protocol has %d", len(documented), seen, len(pb.SqlInfo_name))
	}
}

// infoText is a value as the table has it: long lists, and what each build has of its own, by a word.
func infoText(id, value string) string {
	switch {
	case id == "1" || id == "2":
		return "the version"
	case len(value) > 60:
		return "a list"
	case value == "":
		return "(empty)"
	}
	return "`" + strings.ReplaceAll(value, "`", "") + "`"
}

// TestDocumentedCommands: each command and action of the protocol stands in the table, with a test that exists.
func TestDocumentedCommands(t *testing.T) {
	documented := tableRows(t, regexp.MustCompile(`^(Command|Action|[A-Z][A-Za-z]+$)`))
	var want []string
	messages := pb.File_FlightSql_proto.Messages()
	for i := range messages.Len() {
		if name := string(messages.Get(i).Name()); strings.HasPrefix(name, "Command") || strings.HasPrefix(name, "Action") && !strings.HasSuffix(name, "Result") {
			want = append(want, name)
		}
	}
	methods := pb.File_Flight_proto.Services().Get(0).Methods()
	for i := range methods.Len() {
		want = append(want, string(methods.Get(i).Name()))
	}
	want = append(want, "CancelFlightInfo", "RenewFlightEndpoint", "SetSessionOptions", "GetSessionOptions", "CloseSession")
	tests := testNames(t)
	for _, name := range want {
		row := documented[name]
		if row == nil {
			t.Errorf("%s has no row for %s", conformance, name)
			continue
		}
		for _, test := range regexp.MustCompile(`Test\w+`).FindAllString(row[2], -1) {
			if !slices.Contains(tests, test) {
				t.Errorf("%s: the row of %s names %s, which there is not", conformance, name, test)
			}
		}
		if !strings.Contains(row[2], "Test") {
			t.Errorf("%s: the row of %s names no test", conformance, name)
		}
	}
}

func testNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, dir := range []string{".", "../integration"} {
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			text, err := os.ReadFile(dir + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
