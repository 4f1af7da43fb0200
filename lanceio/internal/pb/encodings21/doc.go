// Package encodings21 holds the messages of lance.encodings21: the page layouts and compressive encodings of versions
// 2.1 and 2.2.
package encodings21
