/** Dates of the Gregorian calendar: leap years, lengths of months, the day after. */
public class CalendarDate {
    private static final int[] DAYS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    private int year;
    private int month;
    private int day;

    public CalendarDate(int year, int month, int day) {
        if (day < 1 || day > daysInMonth(year, month)) {
            throw new IllegalArgumentException("no such day");
        }
        this.year = year;
        this.month = month;
        this.day = day;
    }

    public static boolean isLeapYear(int year) {
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    }

    public static int daysInMonth(int year, int month) {
        if (month < 1 || month > 12) {
            throw new IllegalArgumentException("no such month");
        }
        int days = month == 2 && isLeapYear(year) ? 29 : DAYS[month - 1];
        assert days >= 28 && days <= 31;
        return days;
    }

    public void nextDay() {
        if (day < daysInMonth(year, month)) {
            day++;
        } else {
            day = 1;
            month = month % 12 + 1;
            if (month == 1) {
                year++;
            }
        }
        assert month >= 1 && month <= 12;
    }

    public static int quarter(int month) {
        if (month < 1 || month > 12) {
            throw new IllegalArgumentException("no such month");
        }
        int quarter = (month + 2) / 3;
        assert quarter >= 1 && quarter <= 4;
        return quarter;
    }
}
