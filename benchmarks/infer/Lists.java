/** A list of cells, from which all elements of another are removed. */
class Elem { }

class Cell {
    Elem value;
    Cell next;
}

class Lists {
    Cell head;

    // subset
    //$ requires no c: Cell | c in c.^next
    //$ ensures this.head'.*next'.value' in this.head.*next.value
    void removeList(Lists other) {
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
