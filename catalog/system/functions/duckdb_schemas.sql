SELECT schema_oid AS oid, database_name, database_oid, schema_name, NULL::VARCHAR AS comment, MAP([]::VARCHAR[], []::VARCHAR[]) AS tags,
	system OR schema_name = 'main' AS internal, NULL::VARCHAR AS sql
FROM flightsrv_schemas()
