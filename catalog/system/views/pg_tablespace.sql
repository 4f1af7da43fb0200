SELECT 1663 AS oid, 'pg_default' AS spcname, 0 AS spcowner, NULL::INTEGER AS spcacl, NULL::INTEGER AS spcoptions
