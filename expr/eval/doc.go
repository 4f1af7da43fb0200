// Package eval runs expressions over Arrow arrays with kernels of its own, with the answers of DuckDB.
//
// A truth value is true, false or unknown (NULL); a row passes a filter where it is true.
//
//	AND     true   false  unknown      OR      true  false    unknown     NOT
//	true    true   false  unknown      true    true  true     true        false
//	false   false  false  false        false   true  false    unknown     true
//	unknown unknown false unknown      unknown true  unknown  unknown     unknown
//
// Comparisons are unknown where a side is NULL, but for IS [NOT] DISTINCT FROM. NaN equals itself and is greater than
// every other number; -0.0 equals 0.0. Texts compare by their UTF-8 bytes. Integers and decimals of any width compare
// exactly, and so do dates and timestamps of any unit. Source: DuckDB 1.5.
//
// Errors (overflow, a text that is no number) are raised only for rows that are asked: the right side of AND is not
// asked where the left is false, an arm of CASE only where its condition is true.
package eval
