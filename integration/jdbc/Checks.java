import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Connects, browses and selects as a BI tool does. Argument: HOST:PORT. Prints PASS or FAIL for each check. */
public class Checks {
    interface Check {
        void run(Connection c) throws Exception;
    }

    static int failed = 0;

    static void check(Connection c, String name, Check check) {
        try {
            check.run(c);
            System.out.println("PASS " + name);
        } catch (Exception | AssertionError | NoSuchMethodError e) {
            failed++;
            System.out.println("FAIL " + name + ": " + e.toString().replaceAll("\\s+", " "));
        }
    }

    static void equal(Object got, Object want) {
        if (!Objects.equals(got, want)) {
            throw new AssertionError("got " + got + ", want " + want);
        }
    }

    static List<String> column(ResultSet rows, String name) throws SQLException {
        List<String> all = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                all.add(rows.getString(name));
            }
        }
        return all;
    }

    public static void main(String[] args) throws Exception {
        String url = "jdbc:arrow-flight-sql://" + args[0] + "/?useEncryption=false";
        Connection c = DriverManager.getConnection(url);
        browse(c);
        select(c);
        Connection withCatalog = DriverManager.getConnection(url + "&catalog=lance");
        check(withCatalog, "the catalog property", x -> {
            try (var s = x.createStatement(); var r = s.executeQuery("SELECT count(*) FROM worked")) {
                r.next();
                equal(r.getLong(1), 4L);
            }
        });
        Connection flat = DriverManager.getConnection(url + "&x-flightsrv-nested=flatten");
        check(flat, "nested columns flat by a parameter of the URL", x -> {
            var names = column(x.getMetaData().getColumns(null, null, "worked", null), "COLUMN_NAME");
            equal(names, List.of("id", "lat.values", "lat.dim_names", "lat.dim_sizes", "lat.attrs.units"));
            try (var s = x.createStatement(); var r = s.executeQuery("SELECT t.\"lat.attrs.units\" FROM \"main\".\"worked\" t WHERE \"lat.values\" > 20 AND t.\"id\" = 1")) {
                equal(column(r, "lat.attrs.units"), List.of("degrees_north"));
            }
        });
        cells(DriverManager.getConnection(url + "&x-flightsrv-cells=listed"));
        // Not closed: the driver frees results that metadata calls prefetched in threads of its own, and its close()
        // now and then complains of those as leaks, whatever the server is.
        System.exit(failed == 0 ? 0 : 1);
    }

    /** What a BI tool does with the cells of n-d arrays: finds the view, its columns, and groups by a coordinate. */
    static void cells(Connection c) {
        check(c, "cells are listed as views", x -> {
            var meta = x.getMetaData();
            equal(column(meta.getTables(null, "main", "%", new String[] {"VIEW"}), "TABLE_NAME"), List.of("sst$cells", "worked$cells"));
            var names = column(meta.getColumns(null, "main", "sst$cells", null), "COLUMN_NAME");
            equal(names.containsAll(List.of("id", "lat", "lon", "time", "sst")), true);
            equal(names.contains("__global_attrs__"), false);
        });
        check(c, "cells filtered by a parameter and grouped", x -> {
            try (var p = x.prepareStatement("SELECT id, count(*) AS n, max(lat) AS top FROM \"worked$cells\" WHERE lat > ? GROUP BY id")) {
                for (double above : new double[] {20, 25}) {
                    p.setDouble(1, above);
                    try (var r = p.executeQuery()) {
                        equal(r.next(), true);
                        equal(List.of(r.getLong("id"), r.getLong("n"), r.getDouble("top")), List.of(1L, above == 20 ? 2L : 1L, 30.0));
                        equal(r.next(), false);
                    }
                }
            }
        });
        check(c, "cells by coordinate", x -> {
            String sql = "SELECT \"lat\", avg(\"sst\") AS mean, count(*) AS n FROM \"main\".\"sst$cells\" WHERE \"sst\" IS NOT NULL GROUP BY \"lat\" ORDER BY n DESC, \"lat\" LIMIT 5";
            try (var s = x.createStatement(); var r = s.executeQuery(sql)) {
                int rows = 0;
                for (; r.next(); rows++) {
                    equal(Double.isNaN(r.getDouble("mean")), false);
                }
                equal(rows, 5);
            }
        });
    }

    static void browse(Connection c) throws Exception {
        DatabaseMetaData meta = c.getMetaData();
        check(c, "catalogs", x -> equal(column(meta.getCatalogs(), "TABLE_CAT"), List.of("lance")));
        check(c, "schemas", x -> equal(column(meta.getSchemas(), "TABLE_SCHEM").contains("main"), true));
        check(c, "tables", x -> equal(
            column(meta.getTables(null, "main", "%", new String[] {"TABLE"}), "TABLE_NAME"),
            List.of("events", "sst", "worked")));
        check(c, "tables by pattern", x -> equal(column(meta.getTables("lance", null, "w_rk%", null), "TABLE_NAME"), List.of("worked")));
        check(c, "tables without a catalog", x -> equal(column(meta.getTables("", null, "%", null), "TABLE_NAME"), List.of()));
        check(c, "columns", x -> {
            try (ResultSet r = meta.getColumns(null, "main", "events", "%")) {
                List<String> seen = new ArrayList<>();
                while (r.next()) {
                    seen.add(r.getString("COLUMN_NAME"));
                    if (r.getString("COLUMN_NAME").equals("id")) {
                        equal(r.getInt("DATA_TYPE"), Types.BIGINT);
                        equal(r.getString("TYPE_NAME"), "BIGINT");
                        equal(r.getInt("NULLABLE"), DatabaseMetaData.columnNoNulls);
                    }
                }
                equal(seen, List.of("id", "seen", "kind", "device", "account", "tags", "items", "props"));
            }
        });
        check(c, "primary keys", x -> equal(column(meta.getPrimaryKeys(null, "main", "events"), "COLUMN_NAME"), List.of()));
        check(c, "product", x -> equal(meta.getDatabaseProductName(), "flightsrv"));
    }

    static void select(Connection c) {
        check(c, "select with a values filter", x -> {
            try (var s = x.createStatement();
                 var r = s.executeQuery("SELECT id FROM worked WHERE lat.values BETWEEN 17.5 AND 25.4 ORDER BY id")) {
                equal(column(r, "id"), List.of("1", "3"));
            }
        });
        check(c, "every kind of statement with rows", x -> {
            for (String sql : List.of("SELECT 1", "WITH q AS (SELECT 1 AS a) SELECT a FROM q", "VALUES (1)", "EXPLAIN SELECT id FROM sst")) {
                try (var s = x.createStatement()) {
                    equal(s.execute(sql), true);
                    try (var r = s.getResultSet()) {
                        equal(r.next(), true);
                    }
                }
            }
        });
        check(c, "a prepared statement, run twice", x -> {
            try (var p = x.prepareStatement("SELECT count(*) FROM events WHERE id < ?")) {
                equal(p.getParameterMetaData().getParameterCount(), 1);
                for (long limit : new long[] {50, 100}) {
                    p.setLong(1, limit);
                    try (var r = p.executeQuery()) {
                        r.next();
                        equal(r.getLong(1), limit);
                    }
                }
            }
        });
        parameters(c);
        check(c, "nested values and times", x -> {
            try (var s = x.createStatement();
                 var r = s.executeQuery("SELECT device.os.build.patch.level AS level, tags, seen FROM events WHERE id = 8")) {
                equal(r.next(), true);
                equal(r.getInt("level"), 8);
                equal(r.getArray("tags") != null, true);
                equal(r.getTimestamp("seen").toInstant().toString(), "2024-05-01T02:16:00Z");
            }
        });
        check(c, "an error names the table", x -> {
            try (var s = x.createStatement()) {
                s.executeQuery("SELECT nosuch FROM worked");
                throw new AssertionError("no error");
            } catch (SQLException e) {
                equal(e.getMessage().contains("worked"), true);
            }
        });
    }

    interface Binding {
        void bind(PreparedStatement p) throws SQLException;
    }

    /** Runs a statement with what is bound, and gives the first column as texts. */
    static List<String> bound(Connection c, String sql, Binding binding) throws SQLException {
        try (var p = c.prepareStatement(sql)) {
            binding.bind(p);
            List<String> all = new ArrayList<>();
            try (var r = p.executeQuery()) {
                while (r.next()) {
                    all.add(r.getString(1));
                }
            }
            return all;
        }
    }

    /** The driver binds strictly: what a place announces has to be what a program binds there. */
    static void parameters(Connection c) {
        check(c, "parameters of functions and operators", x -> {
            equal(bound(x, "SELECT abs(?)", p -> p.setDouble(1, -1.5)), List.of("1.5"));
            equal(bound(x, "SELECT ? + 1", p -> p.setInt(1, 41)), List.of("42"));
            equal(bound(x, "SELECT upper(?) || ?", p -> {
                p.setString(1, "a");
                p.setString(2, "b");
            }), List.of("Ab"));
            equal(bound(x, "SELECT CASE WHEN ? THEN 'yes' ELSE 'no' END", p -> p.setBoolean(1, true)), List.of("yes"));
            equal(bound(x, "SELECT round(?, 1)", p -> p.setDouble(1, 2.25)), List.of("2.3"));
        });
        check(c, "parameters beside decimals", x -> {
            equal(bound(x, "SELECT ? * 2.5", p -> p.setDouble(1, 0.5)), List.of("1.25"));
            equal(bound(x, "SELECT CAST(id AS DECIMAL(10,2)) * ? FROM events WHERE id = 3", p -> p.setDouble(1, 0.5)), List.of("1.5"));
            equal(bound(x, "SELECT count(*) FROM events WHERE id < 10 AND id * 1.5 > ?", p -> p.setDouble(1, 4.5)), List.of("6"));
            equal(bound(x, "SELECT count(*) FROM events WHERE id < 10 AND CAST(id AS DOUBLE) > ? * 1.5", p -> p.setDouble(1, 3)), List.of("5"));
        });
        check(c, "parameters of functions that take whole numbers, and parts of 1", x -> {
            equal(bound(x, "SELECT * FROM range(?)", p -> p.setInt(1, 3)), List.of("0", "1", "2"));
            equal(bound(x, "SELECT sum(g) FROM generate_series(1, ?) t(g)", p -> p.setLong(1, 4)), List.of("10"));
            equal(bound(x, "SELECT lpad('7', ?, ?)", p -> {
                p.setInt(1, 3);
                p.setString(2, "0");
            }), List.of("007"));
            equal(bound(x, "SELECT chr(?)", p -> p.setInt(1, 65)), List.of("A"));
            equal(bound(x, "SELECT lead(id, ?, ?) OVER (ORDER BY id) FROM events WHERE id < 3", p -> {
                p.setInt(1, 2);
                p.setLong(2, -1);
            }), List.of("2", "-1", "-1"));
            equal(bound(x, "SELECT quantile_cont(id, ?) FROM events WHERE id < 5", p -> p.setDouble(1, 0.25)), List.of("1.0"));
            equal(bound(x, "SELECT percentile_cont(?) WITHIN GROUP (ORDER BY id) FROM events WHERE id < 5", p -> p.setDouble(1, 0.5)), List.of("2.0"));
        });
        check(c, "integers keep all their bits", x -> {
            equal(bound(x, "SELECT ? + 1", p -> p.setLong(1, 5_000_000_000L)), List.of("5000000001"));
            equal(bound(x, "SELECT count(*) FROM events WHERE device.os.build.patch.level >= ?", p -> p.setInt(1, 70_000)), List.of("0"));
            equal(bound(x, "SELECT count(*) FROM events WHERE device.os.build.number < ?", p -> p.setLong(1, 5_000_000_000L)).equals(List.of("0")), false);
            equal(bound(x, "SELECT DATE '2020-01-01' + ?", p -> p.setInt(1, 31)), List.of("2020-02-01"));
        });
        check(c, "parameters in IN, LIMIT and OFFSET", x -> {
            equal(bound(x, "SELECT id FROM events WHERE id IN (?, ?) ORDER BY id", p -> {
                p.setLong(1, 7);
                p.setLong(2, 3);
            }), List.of("3", "7"));
            equal(bound(x, "SELECT id FROM events WHERE id NOT BETWEEN ? AND ? ORDER BY id LIMIT ? OFFSET ?", p -> {
                p.setLong(1, 0);
                p.setLong(2, 10);
                p.setLong(3, 2);
                p.setLong(4, 1);
            }), List.of("12", "13"));
            equal(bound(x, "SELECT id FROM worked WHERE lat.values > ? ORDER BY id", p -> p.setDouble(1, 20)), List.of("1", "3"));
        });
        check(c, "parameters of rows, as in paging by a key", x -> {
            equal(bound(x, "SELECT id FROM events WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT 2", p -> {
                p.setString(1, "buy");
                p.setLong(2, 1190);
            }), List.of("1194", "1198"));
        });
        check(c, "parameters that are dates and times", x -> {
            var day = java.sql.Date.valueOf("2024-05-10");
            var moment = java.sql.Timestamp.valueOf("2024-05-10 00:00:00");
            equal(bound(x, "SELECT min(id) FROM events WHERE CAST(seen AS DATE) >= ?", p -> p.setDate(1, day)), List.of("763"));
            equal(bound(x, "SELECT min(id) FROM events WHERE seen >= ?", p -> p.setTimestamp(1, moment)), List.of("763"));
            equal(bound(x, "SELECT min(id) FROM events WHERE seen >= ? - INTERVAL 1 DAY + INTERVAL 1 DAY", p -> p.setTimestamp(1, moment)), List.of("763"));
            equal(bound(x, "SELECT CAST(? AS TIME) = TIME '01:02:03'", p -> p.setTime(1, java.sql.Time.valueOf("01:02:03"))), List.of("true"));
        });
        check(c, "null parameters", x -> {
            equal(bound(x, "SELECT count(*) FROM events WHERE id = ?", p -> p.setNull(1, Types.BIGINT)), List.of("0"));
            equal(bound(x, "SELECT ? IS NULL", p -> p.setNull(1, Types.VARCHAR)), List.of("true"));
        });
    }
}
