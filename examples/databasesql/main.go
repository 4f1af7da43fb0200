// Command databasesql queries through database/sql: databasesql HOST:PORT.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"

	_ "github.com/apache/arrow-go/v18/arrow/flight/flightsql/driver"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: databasesql HOST:PORT")
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server string) error {
	db, err := sql.Open("flightsql", "flightsql://"+server+"?timeout=30s") // flightsql://USER:PASSWORD@HOST:PORT where asked
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, "SELECT id, cruise FROM sst WHERE lat.values > ? ORDER BY id LIMIT 3", 60.0)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var cruise sql.NullString
		if err := rows.Scan(&id, &cruise); err != nil {
			return err
		}
		fmt.Println(id, cruise.String)
	}
	return rows.Err()
}
