SELECT name, setting, NULL::VARCHAR AS short_desc, 'string' AS vartype
FROM (VALUES
	('application_name', current_setting('application_name', TRUE)),
	('autocommit', current_setting('autocommit', TRUE)),
	('catalog', current_setting('catalog', TRUE)),
	('cells', current_setting('cells', TRUE)),
	('client_encoding', current_setting('client_encoding', TRUE)),
	('compression', current_setting('compression', TRUE)),
	('datestyle', current_setting('datestyle', TRUE)),
	('default_table_access_method', current_setting('default_table_access_method', TRUE)),
	('default_transaction_isolation', current_setting('default_transaction_isolation', TRUE)),
	('extra_float_digits', current_setting('extra_float_digits', TRUE)),
	('lock_timeout', current_setting('lock_timeout', TRUE)),
	('nested', current_setting('nested', TRUE)),
	('partitions', current_setting('partitions', TRUE)),
	('schema', current_setting('schema', TRUE)),
	('search_path', current_setting('search_path', TRUE)),
	('standard_conforming_strings', current_setting('standard_conforming_strings', TRUE)),
	('statement_timeout', current_setting('statement_timeout', TRUE)),
	('timezone', current_setting('timezone', TRUE)),
	('transaction_isolation', current_setting('transaction_isolation', TRUE))
) AS t(name, setting)
