package real;

import java.util.ArrayList;
import java.util.List;

/** Words of the letters a to z, found by how they begin. */
public class Trie {
    private static final int LETTERS = 26;

    private static final class Node {
        final Node[] children = new Node[LETTERS];
        boolean isWord;
        int below;

        boolean isUnused() {
            return below == 0;
        }
    }

    private final Node root = new Node();

    public int size() {
        return root.below;
    }

    /** Adds a word; tells whether it was missing. */
    public boolean add(String word) {
        check(word);
        if (contains(word)) {
            return false;
        }
        Node node = root;
        node.below++;
        for (int i = 0; i < word.length(); i++) {
            int letter = letter(word.charAt(i));
            if (node.children[letter] == null) { //fails1
                node.children[letter] = new Node();
            }
            node = node.children[letter];
            node.below++;
        }
        node.isWord = true;
        return true;
    }

    public boolean contains(String word) {
        check(word);
        Node node = find(word);
        return node != null && node.isWord;
    }

    /** How many words begin so. */
    public int countPrefix(String prefix) {
        check(prefix);
        Node node = find(prefix);
        return node == null ? 0 : node.below;
    }

    /** Removes a word; tells whether it was there. */
    public boolean remove(String word) {
        check(word);
        if (!contains(word)) {
            return false;
        }
        Node node = root;
        node.below--;
        for (int i = 0; i < word.length(); i++) {
            int letter = letter(word.charAt(i));
            Node child = node.children[letter];
            child.below--;
            if (child.isUnused()) {
                node.children[letter] = null;
                return true;
            }
            node = child;
        }
        node.isWord = false;
        return true;
    }

    /** The longest word of the trie that a text begins with, null if there is none. */
    public String longestPrefixOf(String text) {
        check(text);
        Node node = root;
        int longest = root.isWord ? 0 : -1;
        //bug2? a loop that reads beyond the end of a text
        //bug2+ for (int i = 0; i <= text.length(); i++) {
        for (int i = 0; i < text.length(); i++) { //bug2-
            node = node.children[letter(text.charAt(i))]; //fails2
            if (node == null) {
                break;
            }
            if (node.isWord) {
                longest = i + 1;
            }
        }
        return longest < 0 ? null : text.substring(0, longest);
    }

    /** The words that begin so, in the order of the alphabet. */
    public List<String> withPrefix(String prefix) {
        check(prefix);
        List<String> found = new ArrayList<>();
        Node node = find(prefix);
        if (node != null) {
            collect(node, new StringBuilder(prefix), found);
        }
        return found;
    }

    /** What all words have in common at their beginning. */
    public String commonPrefix() {
        StringBuilder prefix = new StringBuilder();
        Node node = root;
        while (!node.isWord) {
            int only = onlyChild(node);
            if (only < 0) {
                break;
            }
            prefix.append((char) ('a' + only));
            node = node.children[only];
        }
        return prefix.toString();
    }

    private static int onlyChild(Node node) {
        int only = -1;
        for (int letter = 0; letter < LETTERS; letter++) {
            if (node.children[letter] != null) {
                if (only >= 0) {
                    return -1;
                }
                only = letter;
            }
        }
        return only;
    }

    private Node find(String prefix) {
        Node node = root;
        for (int i = 0; i < prefix.length() && node != null; i++) {
            node = node.children[letter(prefix.charAt(i))]; //fails1
        }
        return node;
    }

    private void collect(Node node, StringBuilder word, List<String> found) {
        if (node.isWord) {
            found.add(word.toString());
        }
        for (int letter = 0; letter < LETTERS; letter++) {
            Node child = node.children[letter];
            if (child != null) {
                word.append((char) ('a' + letter));
                collect(child, word, found);
                word.setLength(word.length() - 1);
            }
        }
    }

    private static int letter(char c) {
        return c - 'a';
    }

    private static void check(String word) {
        if (word == null) {
            throw new IllegalArgumentException("no word");
        }
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            //bug1? a letter of the wrong kind that is let through
            //bug1+ if (!Character.isLetter(c)) {
            if (c < 'a' || c > 'z') { //bug1-
                throw new IllegalArgumentException("not a small letter: " + c);
            }
        }
    }
}
