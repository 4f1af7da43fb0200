SELECT * FROM duckdb_schemas() WHERE NOT internal
