SELECT * FROM duckdb_views() WHERE NOT internal
