package table

import (
	"fmt"
	"math/bits"
	"strings"
)

// BlobFile gives the path of a file of blobs beside a data file: in a folder of the data file's name without its ending,
// the number's 32 bits from the lowest to the highest.
func BlobFile(dataFile string, id uint32) string {
	return fmt.Sprintf("%s/%032b.blob", strings.TrimSuffix(dataFile, ".lance"), bits.Reverse32(id))
}
