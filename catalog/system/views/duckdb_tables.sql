SELECT * FROM duckdb_tables() WHERE NOT internal
