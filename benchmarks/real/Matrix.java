package real;

import java.util.Arrays;

/** A matrix of real numbers, row by row. */
public class Matrix {
    private final int rows;
    private final int columns;
    private final double[][] cells;

    /** A matrix of zeros. */
    public Matrix(int rows, int columns) {
        if (rows < 1 || columns < 1) {
            throw new IllegalArgumentException("a matrix has rows and columns");
        }
        this.rows = rows;
        this.columns = columns;
        this.cells = new double[rows][columns];
    }

    /** The identity of a size. */
    public static Matrix identity(int size) {
        Matrix result = new Matrix(size, size);
        for (int i = 0; i < size; i++) {
            result.cells[i][i] = 1;
        }
        return result;
    }

    /** A matrix of these rows, which are copied. */
    public static Matrix of(double[][] rows) {
        if (rows == null || rows.length == 0 || rows[0] == null) {
            throw new IllegalArgumentException("a matrix has rows");
        }
        Matrix result = new Matrix(rows.length, rows[0].length);
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] == null || rows[i].length != result.columns) {
                throw new IllegalArgumentException("rows are of one length");
            }
            System.arraycopy(rows[i], 0, result.cells[i], 0, result.columns);
        }
        return result;
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return columns;
    }

    public double get(int row, int column) {
        check(row, column);
        return cells[row][column];
    }

    public void set(int row, int column, double value) {
        check(row, column);
        cells[row][column] = value;
    }

    public Matrix plus(Matrix other) {
        if (other.rows != rows || other.columns != columns) {
            throw new IllegalArgumentException("sizes differ");
        }
        Matrix result = new Matrix(rows, columns);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                result.cells[i][j] = cells[i][j] + other.cells[i][j];
            }
        }
        return result;
    }

    public Matrix times(Matrix other) {
        //bug1? a check of the wrong side
        //bug1+ if (columns != other.columns) {
        if (columns != other.rows) { //bug1-
            throw new IllegalArgumentException("sizes do not fit");
        }
        Matrix result = new Matrix(rows, other.columns);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < other.columns; j++) {
                double sum = 0;
                for (int k = 0; k < columns; k++) {
                    sum += cells[i][k] * other.cells[k][j]; //fails1
                }
                result.cells[i][j] = sum;
            }
        }
        return result;
    }

    public Matrix transposed() {
        //bug2? rows and columns exchanged
        //bug2+ Matrix result = new Matrix(rows, columns);
        Matrix result = new Matrix(columns, rows); //bug2-
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < columns; j++) {
                result.cells[j][i] = cells[i][j]; //fails2
            }
        }
        return result;
    }

    /** The matrix without a row and a column. */
    public Matrix minor(int row, int column) {
        check(row, column);
        if (rows == 1 || columns == 1) {
            throw new IllegalArgumentException("nothing would be left");
        }
        Matrix result = new Matrix(rows - 1, columns - 1);
        for (int i = 0; i < rows - 1; i++) {
            for (int j = 0; j < columns - 1; j++) {
                result.cells[i][j] = cells[i < row ? i : i + 1][j < column ? j : j + 1];
            }
        }
        return result;
    }

    /** The sum of the diagonal. */
    public double trace() {
        if (rows != columns) {
            throw new IllegalStateException("not square");
        }
        double sum = 0;
        for (int i = 0; i < rows; i++) {
            sum += cells[i][i];
        }
        return sum;
    }

    public double[] row(int row) {
        check(row, 0);
        return cells[row].clone();
    }

    public boolean isSymmetric() {
        if (rows != columns) {
            return false;
        }
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < i; j++) {
                if (cells[i][j] != cells[j][i]) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Matrix matrix && Arrays.deepEquals(cells, matrix.cells);
    }

    @Override
    public int hashCode() {
        return Arrays.deepHashCode(cells);
    }

    private void check(int row, int column) {
        if (row < 0 || row >= rows || column < 0 || column >= columns) {
            throw new IndexOutOfBoundsException("no cell " + row + ", " + column);
        }
    }
}
