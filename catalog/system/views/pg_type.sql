SELECT type_oid AS oid, type_name AS typname, schema_oid AS typnamespace, 0 AS typowner, type_size AS typlen,
	FALSE AS typbyval, 'b' AS typtype, category AS typcategory, FALSE AS typispreferred, TRUE AS typisdefined,
	NULL::INTEGER AS typdelim, NULL::INTEGER AS typrelid, NULL::INTEGER AS typsubscript, NULL::INTEGER AS typelem,
	NULL::INTEGER AS typarray, NULL::INTEGER AS typinput, NULL::INTEGER AS typoutput, NULL::INTEGER AS typreceive,
	NULL::INTEGER AS typsend, NULL::INTEGER AS typmodin, NULL::INTEGER AS typmodout, NULL::INTEGER AS typanalyze,
	'd' AS typalign, 'p' AS typstorage, NULL::INTEGER AS typnotnull, NULL::INTEGER AS typbasetype,
	NULL::INTEGER AS typtypmod, NULL::INTEGER AS typndims, NULL::INTEGER AS typcollation, NULL::INTEGER AS typdefaultbin,
	NULL::INTEGER AS typdefault, NULL::INTEGER AS typacl
FROM flightsrv_types(), flightsrv_schemas() WHERE database_name = current_database() AND schema_name = 'pg_catalog'
