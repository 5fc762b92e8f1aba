/** Operations on matrices that are given as arrays of rows. */
public class Matrix {
    public static boolean isSquare(int[][] m) {
        for (int[] row : m) {
            if (row == null || row.length != m.length) {
                return false;
            }
        }
        return true;
    }

    public static int trace(int[][] m) {
        if (!isSquare(m)) {
            throw new IllegalArgumentException("not square");
        }
        int sum = 0;
        for (int i = 0; i < m.length; i++) {
            sum += m[i][i];
        }
        return sum;
    }

    public static int[][] identity(int n) {
        if (n < 0 || n > 3) {
            throw new IllegalArgumentException("size between 0 and 3");
        }
        int[][] m = new int[n][n];
        for (int i = 0; i < n; i++) {
            m[i][i] = 1;
        }
        return m;
    }

    public static int[][] transposed(int[][] m) {
        for (int[] row : m) {
            if (row == null || m[0] == null || row.length != m[0].length) {
                throw new IllegalArgumentException("rows differ in length");
            }
        }
        int[][] t = new int[m[0].length][m.length];
        for (int i = 0; i < m.length; i++) {
            for (int j = 0; j < m[0].length; j++) {
                t[j][i] = m[i][j];
            }
        }
        return t;
    }
}
