SELECT 0 AS oid, current_user AS rolname, FALSE AS rolsuper, TRUE AS rolinherit, FALSE AS rolcreaterole, FALSE AS rolcreatedb,
	TRUE AS rolcanlogin, FALSE AS rolreplication, -1 AS rolconnlimit
