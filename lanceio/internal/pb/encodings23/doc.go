// Package encodings23 holds the messages that describe the pages of data files of version 2.3.
package encodings23
