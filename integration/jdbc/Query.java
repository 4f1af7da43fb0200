import java.sql.DriverManager;
import java.util.StringJoiner;

/** Runs one query: arguments HOST:PORT and SQL. Prints the column names and then each row, parted by tabs. */
public class Query {
    public static void main(String[] args) throws Exception {
        String url = "jdbc:arrow-flight-sql://" + args[0] + "/?useEncryption=false";
        try (var connection = DriverManager.getConnection(url);
             var statement = connection.createStatement();
             var rows = statement.executeQuery(args[1])) {
            var meta = rows.getMetaData();
            var names = new StringJoiner("\t");
            for (int i = 1; i <= meta.getColumnCount(); i++) {
                names.add(meta.getColumnLabel(i));
            }
            System.out.println(names);
            while (rows.next()) {
                var line = new StringJoiner("\t");
                for (int i = 1; i <= meta.getColumnCount(); i++) {
                    line.add(String.valueOf(rows.getObject(i)));
                }
                System.out.println(line);
            }
        }
    }
}
