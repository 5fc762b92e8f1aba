/** A doubly linked list whose nodes can be unlinked in constant time. */
public class DoublyLinkedList {
    static class Node {
        Node prev;
        Node next;
        int value;
    }

    Node first;
    Node last;

    public void addFirst(int value) {
        Node n = new Node();
        n.value = value;
        n.next = first;
        if (first == null) {
            last = n;
        } else {
            first.prev = n;
        }
        first = n;
    }

    public void addLast(int value) {
        Node n = new Node();
        n.value = value;
        n.prev = last;
        if (last == null) {
            first = n;
        } else {
            last.next = n;
        }
        last = n;
    }

    public void remove(Node n) {
        if (n == last) {
            last = n.prev;
        } else {
            n.next.prev = n.prev;
        }
        if (n.prev == null) {
            first = n.next;
        } else {
            n.prev.next = n.next;
        }
        n.prev = null;
        n.next = null;
    }

    public boolean isLinked(Node n) {
        boolean before = n.prev == null ? first == n : n.prev.next == n;
        boolean after = n.next == null ? last == n : n.next.prev == n;
        return before && after;
    }
}
