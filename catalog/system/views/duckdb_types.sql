SELECT * FROM duckdb_types() WHERE NOT internal
