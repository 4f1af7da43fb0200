// Package tablepb holds the messages of lance.table: manifests, fragments, row ids, indices.
package tablepb
