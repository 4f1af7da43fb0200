SELECT oid, schema_name AS nspname, 0 AS nspowner, NULL::INTEGER AS nspacl
FROM duckdb_schemas() WHERE database_name = current_database()
