SELECT * FROM duckdb_columns() WHERE NOT internal
