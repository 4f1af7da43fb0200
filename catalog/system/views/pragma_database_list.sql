SELECT * FROM pragma_database_list()
