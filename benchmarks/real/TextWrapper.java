package real;

import java.util.ArrayList;
import java.util.List;

/** Breaks text into lines that are not too long: at blanks if possible, within a word if not. */
public class TextWrapper {
    private final int width;
    private final String indent;

    public TextWrapper(int width) {
        this(width, "");
    }

    /** @param indent what each line but the first begins with; shorter than the width */
    public TextWrapper(int width, String indent) {
        if (indent == null) {
            throw new IllegalArgumentException("no indent");
        }
        if (width < 1 || indent.length() >= width) {
            throw new IllegalArgumentException("width: " + width);
        }
        this.width = width;
        this.indent = indent;
    }

    /** The lines of a text. Blanks at the ends of lines are dropped. */
    public List<String> wrap(String text) {
        if (text == null) {
            throw new IllegalArgumentException("no text");
        }
        List<String> lines = new ArrayList<>();
        String rest = trimLeft(text);
        while (!rest.isEmpty()) {
            int room = lines.isEmpty() ? width : width - indent.length();
            int end = breakBefore(rest, room);
            String line = trimRight(rest.substring(0, end)); //fails1
            lines.add(lines.isEmpty() ? line : indent + line);
            rest = trimLeft(rest.substring(end));
        }
        return lines;
    }

    /** The same, as one text. */
    public String fill(String text) {
        return String.join("\n", wrap(text));
    }

    /** The beginning of a text with dots at its end, if it is longer than the width. */
    public String shorten(String text) {
        if (text == null) {
            throw new IllegalArgumentException("no text");
        }
        if (text.length() <= width) {
            return text;
        }
        String dots = "...".substring(0, Math.min(3, width));
        return trimRight(text.substring(0, width - dots.length())) + dots;
    }

    /** The text in the middle of a line, if it is not longer than the width. */
    public String center(String text) {
        if (text == null) {
            throw new IllegalArgumentException("no text");
        }
        int free = width - text.length();
        if (free <= 0) {
            return text;
        }
        return " ".repeat(free / 2) + text + " ".repeat(free - free / 2);
    }

    /** How many lines a text takes. */
    public int height(String text) {
        return wrap(text).size();
    }

    /** The length of the longest word. */
    public static int longestWord(String text) {
        if (text == null) {
            throw new IllegalArgumentException("no text");
        }
        int longest = 0;
        int start = 0;
        while (start < text.length()) { //fails2
            int end = text.indexOf(' ', start); //fails2
            if (end < 0) { //fails2
                end = text.length();
            }
            longest = Math.max(longest, end - start); //fails2
            //bug2? a step that stays where it is
            //bug2+ start = end; //fails2
            start = end + 1; //bug2-
        } //fails2
        return longest;
    }

    /** Where the first line ends that has room for so many characters. */
    private static int breakBefore(String text, int room) {
        if (text.length() <= room) {
            return text.length();
        }
        int blank = text.lastIndexOf(' ', room);
        //bug1? the -1 of a search used as a position
        //bug1+ return blank;
        return blank > 0 ? blank : room; //bug1-
    }

    private static String trimLeft(String text) {
        int start = 0;
        while (start < text.length() && text.charAt(start) == ' ') {
            start++;
        }
        return text.substring(start);
    }

    private static String trimRight(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }
}
