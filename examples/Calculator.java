/** Evaluates expression trees of limited depth. */
public class Calculator {
    interface Expr { }

    record Num(int value) implements Expr { }

    record Sum(Expr left, Expr right) implements Expr { }

    record Quotient(Expr left, Expr right) implements Expr { }

    private static final int MAX_DEPTH = 3;

    public static int evaluate(Expr e) {
        return evaluate(e, MAX_DEPTH);
    }

    private static int evaluate(Expr e, int depth) {
        if (e == null || depth <= 0 || depth > MAX_DEPTH) {
            throw new IllegalArgumentException("missing part or too deep");
        }
        if (e instanceof Num n) {
            return n.value();
        }
        if (e instanceof Sum s) {
            return evaluate(s.left(), depth - 1) + evaluate(s.right(), depth - 1);
        }
        Quotient q = (Quotient) e;
        int divisor = evaluate(q.right(), depth - 1);
        if (divisor == 0) {
            throw new ArithmeticException("division by zero");
        }
        return evaluate(q.left(), depth - 1) / divisor;
    }

    public static boolean isZero(Expr e) {
        return e instanceof Num n && n.value() == 0;
    }

    /** The right operand of an operation on a number, or the expression itself. */
    public static Expr withoutNumber(Expr e) {
        Expr left = e instanceof Sum s ? s.left() : e instanceof Quotient q ? q.left() : null;
        return left instanceof Num ? ((Sum) e).right() : e;
    }
}
