/** A bank account that is never overdrawn; amounts are in cents. */
public class BankAccount {
    private long balance;

    public BankAccount(long opening) {
        if (opening < 0) {
            throw new IllegalArgumentException("negative opening balance");
        }
        balance = opening;
    }

    public void deposit(long amount) {
        if (amount <= 0 || balance < 0 || amount > Long.MAX_VALUE - balance) {
            throw new IllegalArgumentException("cannot deposit");
        }
        balance += amount;
        assert balance > 0;
    }

    public void withdraw(long amount) {
        if (amount <= 0 || amount > balance) {
            throw new IllegalArgumentException("cannot withdraw");
        }
        balance -= amount;
        assert balance >= 0;
    }

    public void transferTo(BankAccount other, long amount) {
        if (amount <= 0 || amount > balance) {
            throw new IllegalArgumentException("cannot transfer");
        }
        long mine = balance - amount;
        long theirs = other.balance + amount;
        long total = balance + other.balance;
        balance = mine;
        other.balance = theirs;
        assert balance + other.balance == total : "money made or lost";
    }
}
