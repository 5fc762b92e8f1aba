/** Small utilities for texts. */
public class Texts {
    public static boolean isPalindrome(String s) {
        for (int i = 0, j = s.length() - 1; i < j; i++, j--) {
            if (s.charAt(i) != s.charAt(j)) {
                return false;
            }
        }
        return true;
    }

    public static int countOf(String s, char c) {
        int n = 0;
        for (int i = 0; i < s.length(); i++) {
            if (s.charAt(i) == c) {
                n++;
            }
        }
        assert n <= s.length();
        return n;
    }

    /** The file name without its extension, if it has one. */
    public static String withoutExtension(String name) {
        int dot = name.lastIndexOf('.');
        int slash = name.lastIndexOf('/');
        return dot <= slash ? name : name.substring(slash + 1, dot);
    }

    public static String initials(String first, String last) {
        if (first.isEmpty() || last.isEmpty()) {
            throw new IllegalArgumentException("empty name");
        }
        return "" + first.charAt(0) + last.charAt(0);
    }
}
