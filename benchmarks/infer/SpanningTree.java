/**
 * A spanning tree in the manner of Kruskal's, but of no special weight: an edge between two parts that are not
 * connected yet belongs to it. Each part has a root, to which its nodes lead.
 */
class Point {
    Point root;
}

class Line {
    Point from;
    Point to;
}

class LineCell {
    Line line;
    LineCell next;
}

class PointCell {
    Point point;
    PointCell next;
}

class Tree {
    PointCell points;
    LineCell lines;
}

class SpanningTree {
    LineCell lines;

    // consistency: a line of the tree has both its ends in the tree
    //$ requires no c: LineCell | c in c.^next
    //$ requires no root
    //$ ensures result.lines'.*next'.line'.(from' + to') in result.points'.*next'.point'
    Tree consistency() {
        return span();
    }

    // deg0Node: a point without lines is not in the tree
    //$ requires no c: LineCell | c in c.^next
    //$ requires no root
    //$ ensures result.points'.*next'.point' in this.lines.*next.line.(from + to)
    Tree deg0Node() {
        return span();
    }

    private Tree span() {
        Tree tree = new Tree();
        LineCell c = lines;
        while (c != null) {
            consider(tree, c.line);
            c = c.next;
        }
        return tree;
    }

    private void consider(Tree tree, Line line) {
        if (line == null || line.from == null || line.to == null) {
            return;
        }
        Point from = rootOf(line.from);
        Point to = rootOf(line.to);
        if (from != to) {
            from.root = to;
            addPoint(tree, line.from);
            addPoint(tree, line.to);
            addLine(tree, line);
        }
    }

    private Point rootOf(Point point) {
        Point p = point;
        while (p.root != null) {
            p = p.root;
        }
        return p;
    }

    private void addPoint(Tree tree, Point point) {
        if (!contains(tree, point)) {
            PointCell cell = new PointCell();
            cell.point = point;
            cell.next = tree.points;
            tree.points = cell;
        }
    }

    private boolean contains(Tree tree, Point point) {
        PointCell c = tree.points;
        while (c != null) {
            if (c.point == point) {
                return true;
            }
            c = c.next;
        }
        return false;
    }

    private void addLine(Tree tree, Line line) {
        LineCell cell = new LineCell();
        cell.line = line;
        cell.next = tree.lines;
        tree.lines = cell;
    }
}
