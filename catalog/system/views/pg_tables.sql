SELECT schema_name AS schemaname, table_name AS tablename, current_user AS tableowner, NULL::INTEGER AS tablespace, FALSE AS hasindexes,
	FALSE AS hasrules, FALSE AS hastriggers
FROM flightsrv_relations() WHERE NOT is_view AND database_name = current_database()
