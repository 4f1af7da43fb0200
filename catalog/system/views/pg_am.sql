SELECT 0 AS oid, 'lance' AS amname, NULL::INTEGER AS amhandler, 't' AS amtype
