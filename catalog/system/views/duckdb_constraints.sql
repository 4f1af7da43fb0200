SELECT * FROM duckdb_constraints()
