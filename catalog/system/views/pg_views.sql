SELECT schema_name AS schemaname, table_name AS viewname, current_user AS viewowner, definition
FROM flightsrv_relations() WHERE is_view AND database_name = current_database()
