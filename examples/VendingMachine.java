/** A vending machine as a state machine: coins in, one drink out, change back. */
public class VendingMachine {
    enum State { IDLE, PAYING, SERVING }

    private static final int PRICE = 3;

    private State state;
    private int paid;

    public VendingMachine() {
        state = State.IDLE;
    }

    private void check() {
        if (state == null || paid < 0 || paid > 10) {
            throw new IllegalStateException("out of order");
        }
    }

    public void insertCoin(int value) {
        check();
        if (value != 1 && value != 2) {
            throw new IllegalArgumentException("strange coin");
        }
        switch (state) {
            case IDLE:
                paid = 0;
                state = State.PAYING;
                // The first coin counts like every other.
            case PAYING:
                paid += value;
                if (paid >= PRICE) {
                    state = State.SERVING;
                }
                break;
            case SERVING:
                throw new IllegalStateException("take your drink first");
        }
        assert state != State.SERVING || paid >= PRICE;
    }

    /** Serves the drink and returns the change. */
    public int serve() {
        check();
        if (state != State.SERVING) {
            throw new IllegalStateException("not paid");
        }
        int change = Math.max(0, paid - PRICE);
        paid = 0;
        state = State.IDLE;
        return change;
    }

    public String display() {
        check();
        return switch (state) {
            case IDLE -> "insert coin";
            case PAYING -> "more";
            case SERVING -> "enjoy";
        };
    }
}
