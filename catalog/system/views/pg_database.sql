SELECT database_oid AS oid, database_name AS datname, TRUE AS datallowconn, FALSE AS datistemplate, 0 AS datdba, 6 AS encoding,
	'C' AS datcollate, 'C' AS datctype, -1 AS datconnlimit, 0 AS dattablespace, NULL::INTEGER AS datacl
FROM duckdb_databases()
