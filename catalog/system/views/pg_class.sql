SELECT table_oid AS oid, table_name AS relname, schema_oid AS relnamespace, 0 AS reltype, 0 AS reloftype, 0 AS relowner,
	0 AS relam, 0 AS relfilenode, 0 AS reltablespace, 0 AS relpages, coalesce(row_count, 0)::FLOAT AS reltuples,
	0 AS relallvisible, 0 AS reltoastrelid, 0 AS reltoastidxid, FALSE AS relhasindex, FALSE AS relisshared,
	'p' AS relpersistence, CASE WHEN is_view THEN 'v' ELSE 'r' END AS relkind, column_count AS relnatts,
	0::BIGINT AS relchecks, FALSE AS relhasoids, FALSE AS relhaspkey, FALSE AS relhasrules, FALSE AS relhastriggers,
	FALSE AS relhassubclass, FALSE AS relrowsecurity, TRUE AS relispopulated, NULL::INTEGER AS relreplident,
	FALSE AS relispartition, 0 AS relrewrite, 0 AS relfrozenxid, NULL::INTEGER AS relminmxid, NULL::INTEGER AS relacl,
	NULL::INTEGER AS reloptions, NULL::INTEGER AS relpartbound
FROM flightsrv_relations() WHERE database_name = current_database()
