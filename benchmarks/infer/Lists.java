/** A list of cells, from which all elements of another are removed. */
class Elem { }

class Cell {
    Elem value;
    Cell next;
}

class Lists {
    Cell head;

    // subset, cell by cell of this list: whether the other contains an element does not matter for it
    //$ requires no c: Cell | c in c.^next
    //$ ensures this.head'.*next'.value' in this.head.*next.value
    void removeList(Lists other) {
        Cell before = null;
        Cell c = head;
        while (c != null) {
            if (other.contains(c.value)) {
                unlink(before, c);
            } else {
                before = c;
            }
            c = c.next;
        }
    }

    private boolean contains(Elem e) {
        Cell c = head;
        while (c != null) {
            if (c.value == e) {
                return true;
            }
            c = c.next;
        }
        return false;
    }

    private void unlink(Cell before, Cell c) {
        if (before == null) {
            head = c.next;
        } else {
            before.next = c.next;
        }
    }

    // subset, element by element of the other list: nearly all of the code matters for it
    //$ requires no c: Cell | c in c.^next
    //$ ensures this.head'.*next'.value' in this.head.*next.value
    void removeEach(Lists other) {
        Cell c = other.head;
        while (c != null) {
            removeAll(c.value);
            c = c.next;
        }
    }

    void removeAll(Elem e) {
        while (head != null && head.value == e) {
            head = head.next;
        }
        Cell c = head;
        while (c != null) {
            skip(c, e);
            c = c.next;
        }
    }

    private void skip(Cell c, Elem e) {
        while (c.next != null && c.next.value == e) {
            c.next = c.next.next;
        }
    }
}
