SELECT name, setting AS value, short_desc AS description, 'VARCHAR' AS input_type, 'LOCAL' AS scope, []::VARCHAR[] AS aliases
FROM pg_settings
