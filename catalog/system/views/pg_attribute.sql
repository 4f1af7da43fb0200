SELECT table_oid AS attrelid, column_name AS attname, type_oid AS atttypid, 0 AS attstattarget, NULL::INTEGER AS attlen,
	column_index::INTEGER AS attnum, 0 AS attndims, -1 AS attcacheoff,
	CASE WHEN data_type LIKE 'DECIMAL(%)' THEN (numeric_precision * 1000 + numeric_scale)::INTEGER ELSE -1 END AS atttypmod,
	FALSE AS attbyval, NULL::INTEGER AS attstorage, NULL::INTEGER AS attalign, NOT is_nullable AS attnotnull,
	FALSE AS atthasdef, FALSE AS atthasmissing, '' AS attidentity, '' AS attgenerated, FALSE AS attisdropped,
	TRUE AS attislocal, 0 AS attinhcount, 0 AS attcollation, NULL::INTEGER AS attcompression, NULL::INTEGER AS attacl,
	NULL::INTEGER AS attoptions, NULL::INTEGER AS attfdwoptions, NULL::INTEGER AS attmissingval
FROM flightsrv_columns() WHERE database_name = current_database()
