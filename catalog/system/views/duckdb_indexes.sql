SELECT * FROM duckdb_indexes()
