package real;

import java.util.ArrayList;
import java.util.List;

/** Splits arithmetic expressions into numbers, names, texts and signs. */
public class Tokenizer {
    public enum Kind {
        NUMBER, NAME, TEXT, SIGN, END
    }

    /** A token and where it starts. */
    public record Token(Kind kind, String text, int at) {
    }

    /** What the tokenizer cannot read. */
    public static class SyntaxException extends RuntimeException {
        private final int at;

        public SyntaxException(String message, int at) {
            super(message);
            this.at = at;
        }

        public int at() {
            return at;
        }
    }

    private final String source;
    private int at;

    public Tokenizer(String source) {
        if (source == null) {
            throw new IllegalArgumentException("no source");
        }
        this.source = source;
    }

    /** All tokens up to the end, that one included. */
    public List<Token> all() {
        List<Token> tokens = new ArrayList<>();
        Token token = next();
        while (token.kind() != Kind.END) {
            tokens.add(token);
            token = next();
        }
        tokens.add(token);
        return tokens;
    }

    /** The next token; at the end of the source END, as often as it is asked for. */
    public Token next() {
        skipSpace();
        if (at == source.length()) {
            return new Token(Kind.END, "", at);
        }
        char first = source.charAt(at);
        if (isDigit(first)) {
            return number();
        }
        if (isLetter(first)) {
            return name();
        }
        if (first == '"') {
            return text();
        }
        return sign(first);
    }

    public boolean isAtEnd() {
        skipSpace();
        return at == source.length();
    }

    /** Where the next token starts, or the end. */
    public int position() {
        skipSpace();
        return at;
    }

    private Token number() {
        int start = at;
        while (at < source.length() && isDigit(source.charAt(at))) {
            at++;
        }
        //bug1? a look at the next character without asking whether there is one
        //bug1+ if (source.charAt(at) == '.') { //fails1
        if (at < source.length() && source.charAt(at) == '.') { //bug1-
            at++;
            while (at < source.length() && isDigit(source.charAt(at))) {
                at++;
            }
        }
        return new Token(Kind.NUMBER, source.substring(start, at), start);
    }

    private Token name() {
        int start = at;
        while (at < source.length() && (isLetter(source.charAt(at)) || isDigit(source.charAt(at)))) {
            at++;
        }
        return new Token(Kind.NAME, source.substring(start, at), start);
    }

    private Token text() {
        int start = at;
        at++;
        StringBuilder text = new StringBuilder();
        while (at < source.length() && source.charAt(at) != '"') {
            text.append(source.charAt(at));
            at++;
        }
        if (at == source.length()) {
            throw new SyntaxException("text without end", start);
        }
        at++;
        return new Token(Kind.TEXT, text.toString(), start);
    }

    private Token sign(char first) {
        if ("+-*/()=,".indexOf(first) < 0) {
            throw new SyntaxException("unexpected: " + first, at);
        }
        at++;
        return new Token(Kind.SIGN, String.valueOf(first), at - 1);
    }

    /** Skips blanks, and comments from # to the end of the line. */
    private void skipSpace() {
        while (at < source.length()) {
            char c = source.charAt(at);
            if (c == ' ' || c == '\t' || c == '\n') {
                at++;
            } else if (c == '#') {
                skipLine();
            } else {
                return;
            }
        }
    }

    private void skipLine() {
        //bug2? a loop that does not advance at its last character
        //bug2+ while (at < source.length() && source.charAt(at) != '\n') { //fails2
        //bug2+     if (at + 1 < source.length()) { //fails2
        //bug2+         at++;
        //bug2+     } //fails2
        //bug2+ } //fails2
        while (at < source.length() && source.charAt(at) != '\n') { //bug2-
            at++; //bug2-
        } //bug2-
    }

    private static boolean isDigit(char c) {
        return '0' <= c && c <= '9';
    }

    private static boolean isLetter(char c) {
        return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_';
    }
}
