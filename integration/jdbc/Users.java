import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;

/** Logs in through JDBC: HOST:PORT USER PASSWORD [CA]. */
public class Users {
    static String url;
    static boolean failed;

    static void report(String name, String fault) {
        System.out.println(fault == null ? "PASS " + name : "FAIL " + name + ": " + fault);
        failed |= fault != null;
    }

    static Connection connect(String user, String password) throws SQLException {
        var p = new Properties();
        if (user != null) {
            p.put("user", user);
            p.put("password", password);
        }
        return DriverManager.getConnection(url, p);
    }

    static long ask(Connection c) throws SQLException {
        try (var rows = c.createStatement().executeQuery("SELECT count(*) FROM worked")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    public static void main(String[] args) throws Exception {
        url = "jdbc:arrow-flight-sql://" + args[0] + "/?useEncryption=" + (args.length > 3) + (args.length > 3 ? "&tlsRootCerts=" + args[3] : "");
        try (var c = connect(args[1], args[2])) {
            var n = ask(c);
            report("a user with the right password", n == 4 ? null : "count " + n);
            c.createStatement().executeUpdate("SET timezone = 'Asia/Tokyo'");
            try (var rows = c.createStatement().executeQuery("SHOW timezone")) {
                rows.next();
                report("the session is the user's", rows.getString(1).equals("Asia/Tokyo") ? null : rows.getString(1));
            }
        }
        for (var wrong : List.of(new String[] {args[1], args[2] + "x"}, new String[] {"carl", args[2]}, new String[] {null, null})) {
            try (var c = connect(wrong[0], wrong[1])) {
                report("user " + wrong[0] + " is refused", "counts " + ask(c));
            } catch (SQLException e) {
                report("user " + wrong[0] + " is refused", e.toString().contains("credentials") || String.valueOf(e.getCause()).contains("credentials") ? null : e + " <- " + e.getCause());
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
