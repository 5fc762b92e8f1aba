package real;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A text that can be edited, with the last edits in a ring: they can be undone, and what was undone
 * can be done again.
 */
public class UndoStack {
    /** An edit: at a position one text stood in the place of another. */
    private static final class Edit {
        final int at;
        final String removed;
        final String inserted;

        Edit(int at, String removed, String inserted) {
            this.at = at;
            this.removed = removed;
            this.inserted = inserted;
        }
    }

    private final StringBuilder text;
    private final Edit[] ring;
    private int first;
    private int count;
    private final Deque<Edit> undone = new ArrayDeque<>();

    /**
     * @param initial what is edited first
     * @param depth how many edits can be undone
     */
    public UndoStack(String initial, int depth) {
        if (initial == null) {
            throw new IllegalArgumentException("no text");
        }
        if (depth < 1) {
            throw new IllegalArgumentException("depth: " + depth);
        }
        text = new StringBuilder(initial);
        ring = new Edit[depth];
    }

    public String text() {
        return text.toString();
    }

    public int length() {
        return text.length();
    }

    /** Inserts a text before a position. */
    public void insert(int at, String inserted) {
        replace(at, at, inserted);
    }

    /** Deletes from a position up to another. */
    public void delete(int from, int to) {
        replace(from, to, "");
    }

    /** Puts a text in the place of what stands between two positions. */
    public void replace(int from, int to, String inserted) {
        if (inserted == null) {
            throw new IllegalArgumentException("no text");
        }
        if (from < 0 || to < from || to > text.length()) {
            throw new IndexOutOfBoundsException(from + ".." + to);
        }
        Edit edit = new Edit(from, text.substring(from, to), inserted);
        apply(edit);
        remember(edit);
        //bug1? what was undone is not forgotten when the text changes
        undone.clear(); //bug1-
    }

    /** Takes the last edit back; tells whether there was one. */
    public boolean undo() {
        if (count == 0) {
            return false;
        }
        count--;
        int last = (first + count) % ring.length;
        Edit edit = ring[last];
        ring[last] = null;
        text.replace(edit.at, edit.at + edit.inserted.length(), edit.removed);
        undone.push(edit);
        return true;
    }

    /** Does again what was undone last; tells whether there was anything. */
    public boolean redo() {
        if (undone.isEmpty()) {
            return false;
        }
        Edit edit = undone.pop();
        apply(edit);
        remember(edit);
        return true;
    }

    public boolean canUndo() {
        return count > 0;
    }

    public boolean canRedo() {
        return !undone.isEmpty();
    }

    /** How many edits can be undone now. */
    public int undoable() {
        return count;
    }

    public void forget() {
        for (int i = 0; i < count; i++) {
            ring[(first + i) % ring.length] = null;
        }
        first = 0;
        count = 0;
        undone.clear();
    }

    private void apply(Edit edit) {
        text.replace(edit.at, edit.at + edit.removed.length(), edit.inserted); //fails1
    }

    private void remember(Edit edit) {
        if (count == ring.length) {
            first = (first + 1) % ring.length;
            count--;
        }
        //bug2? a ring that is left at its end
        //bug2+ ring[first + count] = edit; //fails2
        ring[(first + count) % ring.length] = edit; //bug2-
        count++;
    }
}
