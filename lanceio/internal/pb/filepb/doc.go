// Package filepb holds the messages of lance.file: the schema, the description of a data file, the metadata of legacy files.
package filepb
