//! Java programs of a chosen size, for measuring how cost grows with it.

/// What the statements of a generated method are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `s = s + x` and the like, no branch at all.
    Arithmetic,
    /// Reads and writes of fields of `this`.
    Fields,
    /// Writes and reads of a local array at an index that is not constant.
    Arrays,
    /// Every statement an `if`, over variables or over a field.
    Branches,
    /// Steps through, and writes into, a list of the input heap.
    Heap,
    /// A call of a small method.
    Calls,
    /// One of each in turn.
    Mixed,
}

impl Shape {
    pub const ALL: [Shape; 7] = [
        Shape::Arithmetic,
        Shape::Fields,
        Shape::Arrays,
        Shape::Branches,
        Shape::Heap,
        Shape::Calls,
        Shape::Mixed,
    ];

    /// The class that holds this shape's methods.
    pub fn class(self) -> String {
        format!("{self:?}")
    }

    fn statement(self, number: usize) -> &'static str {
        const PARTS: [Shape; 6] = [
            Shape::Arithmetic,
            Shape::Fields,
            Shape::Arrays,
            Shape::Branches,
            Shape::Heap,
            Shape::Calls,
        ];
        match self {
            Shape::Arithmetic => ["s = s + x;", "s = s ^ y;", "x = s - y;"][number % 3],
            Shape::Fields => ["f = f + s;", "s = g ^ x;", "g = f - y;"][number % 3],
            Shape::Arrays => ["a[s & 3] = x;", "s = s + a[x & 3];"][number % 2],
            Shape::Branches => ["if (s < x) s = s + y; else x++;", "if (y < s) f = s;"][number % 2],
            Shape::Heap => ["if (p.next != null) p = p.next;", "p.v = p.v + s;"][number % 2],
            Shape::Calls => "s = step(s, x);",
            Shape::Mixed => PARTS[number % 6].statement(number / 6),
        }
    }
}

/// A class with two methods for each number of statements, `of100` and `plain100`.
pub fn straight(shape: Shape, sizes: &[usize]) -> String {
    let mut text = format!("class {} {{\n", shape.class());
    text.push_str("    static class Node { int v; Node next; }\n    int f, g;\n");
    text.push_str("    static int step(int s, int x) { return s + (x >> 1); }\n");
    // The end of `of…` is one goal that depends on everything; nothing in `plain…` can fail.
    for (name, result) in
        [("of", "x / (s ^ f ^ g ^ a[y & 3] ^ p.v)"), ("plain", "x + (s ^ f ^ g ^ a[y & 3] ^ p.v)")]
    {
        for size in sizes {
            text.push_str(&format!("    int {name}{size}(int s, int x, int y, Node p) {{\n"));
            text.push_str("        int[] a = new int[4];\n");
            for number in 0..*size {
                text.push_str(&format!("        {}\n", shape.statement(number)));
            }
            text.push_str(&format!("        return {result};\n    }}\n"));
        }
    }
    text.push_str("}\n");
    text
}

/// A list and a tree with properties that take a search of all their shapes. Structures that are
/// not lists or trees of at most nine objects are left at once.
pub const STRUCTURES: &str = "class Structures {
    static class Node { int v; Node next; }
    static class Tree { int v; Tree left, right; }

    static int length(Node p) {
        int n = 0;
        for (Node q = p; q != null; q = q.next) if (++n > 9) return -1;
        return n;
    }

    static Node turned(Node p) {
        Node done = null;
        while (p != null) {
            Node next = p.next;
            p.next = done;
            done = p;
            p = next;
        }
        return done;
    }

    static void reverse(Node p) {
        int n = length(p);
        if (n < 0) return;
        Node last = turned(p);
        assert length(last) == n;
        assert turned(last) == p;
    }

    static boolean contains(Tree t, int v) {
        for (int i = 0; i < 10 && t != null; i++) {
            if (t.v == v) return true;
            t = v < t.v ? t.left : t.right;
        }
        return false;
    }

    static void insert(Tree root, int v) {
        Tree t = root;
        for (int i = 0; i < 9; i++) {
            if (v == t.v) return;
            Tree child = v < t.v ? t.left : t.right;
            if (child == null) {
                Tree fresh = new Tree();
                fresh.v = v;
                if (v < t.v) t.left = fresh; else t.right = fresh;
                assert contains(root, v);
                return;
            }
            t = child;
        }
    }
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_has_a_method_of_each_size() {
        let text = straight(Shape::Mixed, &[10, 20]);
        assert!(text.contains("int of10(") && text.contains("int of20("));
        assert_eq!(text.matches("= step(s, x);").count(), 2 * (1 + 3));
    }
}
