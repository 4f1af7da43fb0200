SELECT row_number() OVER (ORDER BY database_name) AS seq, database_name AS name, NULL::VARCHAR AS file FROM flightsrv_databases()
