SELECT database_name, database_oid, NULL::VARCHAR AS path, NULL::VARCHAR AS comment, MAP([]::VARCHAR[], []::VARCHAR[]) AS tags, FALSE AS internal,
	'lance' AS type, TRUE AS readonly, FALSE AS encrypted, NULL::VARCHAR AS cipher, MAP([]::VARCHAR[], []::VARCHAR[]) AS options
FROM flightsrv_databases()
