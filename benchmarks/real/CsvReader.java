package real;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads tables of comma-separated values, the first line of which names the columns. */
public class CsvReader {
    /** What cannot be read. */
    public static class FormatException extends RuntimeException {
        public FormatException(String message) {
            super(message);
        }
    }

    private final char separator;
    private final Map<String, Integer> columns = new HashMap<>();
    private final List<List<String>> rows = new ArrayList<>();
    private boolean hasHeader;

    public CsvReader() {
        this(',');
    }

    public CsvReader(char separator) {
        if (separator == '"' || separator == '\n') {
            throw new IllegalArgumentException("not a separator");
        }
        this.separator = separator;
    }

    /** Reads one more line: the header first, then the rows. */
    public void line(String line) {
        if (line == null) {
            throw new IllegalArgumentException("no line");
        }
        List<String> fields = split(line);
        if (hasHeader) {
            rows.add(fields);
            return;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (columns.put(fields.get(i), i) != null) {
                throw new FormatException("twice: " + fields.get(i));
            }
        }
        hasHeader = true;
    }

    public int rows() {
        return rows.size();
    }

    public int columns() {
        return columns.size();
    }

    public boolean hasColumn(String name) {
        return columns.containsKey(name);
    }

    /** A field, empty where the row is too short. */
    public String get(int row, String column) {
        if (row < 0 || row >= rows.size()) {
            throw new IndexOutOfBoundsException("no row " + row);
        }
        //bug1? a null from a map, unboxed
        //bug1+ int at = columns.get(column); //fails1
        Integer at = columns.get(column); //bug1-
        if (at == null) { //bug1-
            throw new IllegalArgumentException("no column " + column); //bug1-
        } //bug1-
        List<String> fields = rows.get(row);
        //bug2? a row that is shorter than the header
        //bug2+ return fields.get(at); //fails2
        return at < fields.size() ? fields.get(at) : ""; //bug2-
    }

    /** All fields of a column, from top to bottom. */
    public List<String> column(String name) {
        List<String> fields = new ArrayList<>();
        for (int row = 0; row < rows.size(); row++) {
            fields.add(get(row, name));
        }
        return fields;
    }

    /** The sum of the whole numbers in a column; other fields count as 0. */
    public long sum(String name) {
        long sum = 0;
        for (String field : column(name)) {
            sum += number(field);
        }
        return sum;
    }

    /** How many rows have a value in a column. */
    public int count(String name, String value) {
        int count = 0;
        for (int row = 0; row < rows.size(); row++) {
            if (get(row, name).equals(value)) {
                count++;
            }
        }
        return count;
    }

    private static long number(String field) {
        boolean negative = field.startsWith("-");
        int start = negative ? 1 : 0;
        if (start == field.length() || field.length() > 18) {
            return 0;
        }
        long number = 0;
        for (int i = start; i < field.length(); i++) {
            int digit = field.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            number = number * 10 + digit;
        }
        return negative ? -number : number;
    }

    private List<String> split(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (quoted) {
                if (c != '"') {
                    field.append(c);
                } else if (i + 1 < line.length() && line.charAt(i + 1) == '"') {
                    field.append(c);
                    i++;
                } else {
                    quoted = false;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == separator) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        if (quoted) {
            throw new FormatException("a quote without end");
        }
        fields.add(field.toString());
        return fields;
    }
}
