SELECT database_name, database_oid, schema_name, schema_oid, table_name, table_oid, column_name, column_index::INTEGER AS column_index,
	NULL::VARCHAR AS comment, FALSE AS internal, NULL::VARCHAR AS column_default, is_nullable, data_type, type_oid AS data_type_id,
	NULL::INTEGER AS character_maximum_length, numeric_precision::INTEGER AS numeric_precision,
	numeric_precision_radix::INTEGER AS numeric_precision_radix, numeric_scale::INTEGER AS numeric_scale
FROM flightsrv_columns()
