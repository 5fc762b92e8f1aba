package jarosite.replay;

/** The run cannot be done, or nothing can be learnt from it; the message says why. */
final class Skip extends Exception {
    private static final long serialVersionUID = 1;

    Skip(String reason) {
        super(reason, null, false, false);
    }
}
