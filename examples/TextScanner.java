/** Reads blanks, words and numbers from a text, one character after the other. */
public class TextScanner {
    private final String text;
    private int at;

    public TextScanner(String text) {
        this.text = text;
    }

    private void check() {
        if (text == null || at < 0 || at > text.length()) {
            throw new IllegalStateException("damaged scanner");
        }
    }

    public boolean hasMore() {
        check();
        return at < text.length();
    }

    public char next() {
        if (!hasMore()) {
            throw new IllegalStateException("end of text");
        }
        return text.charAt(at++);
    }

    public void skipBlanks() {
        while (hasMore() && text.charAt(at) == ' ') {
            at++;
        }
    }

    /** The number that begins here; at least one digit is required. */
    public int readNumber() {
        check();
        int sign = 1;
        if (hasMore() && text.charAt(at) == '-') {
            sign = -1;
            at++;
        }
        int value = 0;
        do {
            int digit = text.charAt(at) - '0';
            if (digit < 0 || digit > 9) {
                throw new IllegalStateException("digit expected");
            }
            value = 10 * value + digit;
            at++;
        } while (at < text.length());
        return sign * value;
    }
}
