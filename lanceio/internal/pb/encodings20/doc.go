// Package encodings20 holds the messages of lance.encodings: column encodings, and the array encodings of version 2.0.
package encodings20
