//go:build unix

package objstore

import (
	"fmt"
	"io/fs"
	"syscall"
)

// etagOf tells contents of one path apart by size, time and inode: a file that is removed and made anew at once may
// keep two of them.
func etagOf(st fs.FileInfo) string {
	var ino uint64
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		ino = sys.Ino
	}
	return fmt.Sprintf("%x-%x-%x", st.Size(), st.ModTime().UnixNano(), ino)
}
