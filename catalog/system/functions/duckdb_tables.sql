SELECT database_name, database_oid, schema_name, schema_oid, table_name, table_oid, NULL::VARCHAR AS comment,
	MAP([]::VARCHAR[], []::VARCHAR[]) AS tags, FALSE AS internal, FALSE AS temporary, FALSE AS has_primary_key, row_count AS estimated_size,
	column_count, 0::BIGINT AS index_count, 0::BIGINT AS check_constraint_count, NULL::VARCHAR AS sql
FROM flightsrv_relations() WHERE NOT is_view
