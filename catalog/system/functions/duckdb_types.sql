SELECT database_name, database_oid, schema_name, schema_oid, type_oid, lower(logical_type) AS type_name, type_size, logical_type,
	CASE category WHEN 'N' THEN 'NUMERIC' WHEN 'S' THEN 'STRING' WHEN 'D' THEN 'DATETIME' WHEN 'T' THEN 'DATETIME' WHEN 'B' THEN 'BOOLEAN'
		WHEN 'C' THEN 'COMPOSITE' WHEN 'A' THEN 'COMPOSITE' END AS type_category,
	NULL::VARCHAR AS comment, MAP([]::VARCHAR[], []::VARCHAR[]) AS tags, TRUE AS internal, NULL::VARCHAR[] AS labels
FROM flightsrv_schemas(), flightsrv_types() WHERE schema_name = 'pg_catalog'
