// Package table reads what a Lance table is made of: manifests, fragments, deletion files, row ids, schemas, tags and
// branches. It never opens a data file.
//
// A table is a folder:
//
//	_versions/     one manifest a version; the newest is the table
//	data/          data files, named by the fragments of a manifest
//	_deletions/    deletion files
//	_refs/         tags and branches
//	tree/NAME/     a branch: a folder of this kind again, without _refs
//
// A manifest file holds optional sections (indices, transaction), the manifest message behind a 4-byte length, and a tail:
//
//	u64 position of the length, u16 major, u16 minor, "LANC"
//
// Names are relative to the table's folder, with '/' between the parts.
package table
