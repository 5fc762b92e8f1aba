/** A singly linked list of ints that adds and removes at its front. */
public class LinkedIntList {
    private static final class Node {
        final int value;
        Node next;

        Node(int value, Node next) {
            this.value = value;
            this.next = next;
        }
    }

    private Node head;

    public void addFirst(int value) {
        head = new Node(value, head);
    }

    public int first() {
        if (head == null) {
            throw new IllegalStateException("empty list");
        }
        return head.value;
    }

    public int removeFirst() {
        int value = first();
        head = head.next;
        return value;
    }

    /** Swaps the first two elements, if there are two. */
    public void swapFront() {
        if (head == null || head.next == null) {
            return;
        }
        Node second = head.next;
        head.next = second.next;
        second.next = head;
        head = second;
    }

    public void reverse() {
        Node done = null;
        while (head != null) {
            Node rest = head.next;
            head.next = done;
            done = head;
            head = rest;
        }
        head = done;
    }

    public boolean contains(int value) {
        for (Node n = head; n != null; n = n.next) {
            if (n.value == value) {
                return true;
            }
        }
        return false;
    }
}
