/** A gift card: what was paid in, less what was spent; amounts are in cents. Specified in JML. */
public class GiftCard {
    private /*@ spec_public @*/ int paidIn;
    private /*@ spec_public @*/ int spent;
    private boolean blocked;

    //@ model int left;
    //@ represents left = paidIn - spent;
    //@ invariant 0 <= spent && spent <= paidIn;

    //@ requires amount >= 0;
    //@ ensures left == amount;
    public GiftCard(int amount) {
        paidIn = amount;
    }

    /*@ public normal_behavior
      @   requires 0 < amount && amount <= left;
      @   assignable spent;
      @   ensures left == \old(left) - amount;
      @ also
      @ public exceptional_behavior
      @   requires amount <= 0 || amount > left;
      @   assignable \nothing;
      @   signals_only IllegalArgumentException;
      @*/
    public void spend(int amount) {
        if (amount <= 0 || amount > left()) {
            throw new IllegalArgumentException("cannot spend " + amount);
        }
        spent += amount;
    }

    //@ ensures \result == left;
    public /*@ pure @*/ int left() {
        return paidIn - spent;
    }

    //@ requires other != this;
    //@ ensures left == 0 && other.left == \old(left + other.left);
    //@ signals (IllegalStateException e) blocked;
    public void moveTo(GiftCard other) {
        if (blocked) {
            throw new IllegalStateException("blocked");
        }
        other.paidIn += left();
        spent = paidIn;
    }

    //@ requires \nonnullelements(cards);
    //@ ensures (\forall int i; 0 <= i && i < cards.length; \result >= cards[i].left);
    public static int richest(GiftCard[] cards) {
        int most = 0;
        for (int i = 0; i < cards.length; i++) {
            most = Math.max(most, cards[i].left());
        }
        return most;
    }
}
