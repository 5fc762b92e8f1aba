/** Roman numerals: from letters to numbers and back. */
public class RomanNumeral {
    private static final String[] TENS = {"", "X", "XX", "XXX"};
    private static final String[] ONES = {"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"};

    static int valueOf(char letter) {
        switch (letter) {
            case 'I': return 1;
            case 'V': return 5;
            case 'X': return 10;
            case 'L': return 50;
            case 'C': return 100;
            case 'D': return 500;
            case 'M': return 1000;
            default: throw new IllegalArgumentException("not a Roman digit");
        }
    }

    public static int parse(String s) {
        int sum = 0;
        for (int i = 0; i < s.length(); i++) {
            int value = valueOf(s.charAt(i));
            if (i + 1 < s.length() && value < valueOf(s.charAt(i + 1))) {
                sum -= value;
            } else {
                sum += value;
            }
        }
        return sum;
    }

    /** The numeral of a number below 40. */
    public static String format(int n) {
        if (n < 1 || n >= 40) {
            throw new IllegalArgumentException("between 1 and 39");
        }
        return TENS[n / 10] + ONES[n % 10];
    }
}
