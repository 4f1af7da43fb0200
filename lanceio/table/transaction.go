package table

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lanceflight/flightsrv/errs"
	"github.com/lanceflight/flightsrv/objstore"
)

// maxTransaction bounds a transaction that is read: writers put larger ones into no manifest.
const maxTransaction = 256 << 20

// operations are the names of operations by their numbers in a transaction.
var operations = map[protowire.Number]string{
	100: "Append", 101: "Delete", 102: "Overwrite", 103: "CreateIndex", 104: "Rewrite", 105: "Merge", 106: "Restore",
	107: "ReserveFragments", 108: "Update", 109: "Project", 110: "UpdateConfig", 111: "DataReplacement",
	112: "UpdateMemWalState", 113: "Clone", 114: "UpdateBases", 115: "DataOverlay",
}

// operation numbers lie between these.
const firstOperation, lastOperation = 100, 199

// ReadOperation gives the name of the operation that made a version, as "Append"; empty where it is not recorded, or is
// one that this version does not know. s is the store that the manifest was read from.
func (m *Manifest) ReadOperation(ctx context.Context, s objstore.Store) (string, error) {
	var data []byte
	var err error
	switch {
	case m.TransactionSection != nil:
		data, err = readSection(ctx, s, join(m.Dir, m.Name), *m.TransactionSection, maxTransaction)
	case m.TransactionFile != "" && safePath(m.TransactionFile):
		data, _, err = objstore.ReadAll(ctx, s, join(join(m.Dir, "_transactions"), m.TransactionFile), maxTransaction)
	default:
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("transaction of version %d: %w", m.Version, err)
	}
	return operationOf(data, join(m.Dir, m.Name))
}

// operationOf finds the operation of a transaction, without reading what it did.
func operationOf(data []byte, object string) (string, error) {
	name := ""
	for len(data) > 0 {
		number, _, n := protowire.ConsumeField(data)
		if n < 0 {
			return "", errs.Corruptf(object, -1, "transaction: %v", protowire.ParseError(n))
		}
		if number >= firstOperation && number <= lastOperation {
			name = operations[number]
		}
		data = data[n:]
	}
	return name, nil
}
