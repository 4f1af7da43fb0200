SELECT database_name, database_oid, schema_name, schema_oid, table_name AS view_name, table_oid AS view_oid, NULL::VARCHAR AS comment,
	MAP([]::VARCHAR[], []::VARCHAR[]) AS tags, FALSE AS internal, FALSE AS temporary, column_count, statement AS sql, TRUE AS is_bound
FROM flightsrv_relations() WHERE is_view
