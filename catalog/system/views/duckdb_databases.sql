SELECT * FROM duckdb_databases() WHERE NOT internal
