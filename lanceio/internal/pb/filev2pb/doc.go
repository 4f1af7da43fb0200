// Package filev2pb holds the messages of lance.file.v2: column metadata of data files from version 2.0 on.
package filev2pb
