/** A directed graph: lists of nodes and of edges, and for each node its incoming and outgoing edges. */
class Edge {
    Node from;
    Node to;
}

class EdgeCell {
    Edge edge;
    EdgeCell next;
}

class NodeCell {
    Node node;
    NodeCell next;
}

class Node {
    EdgeCell in;
    EdgeCell out;
}

class NodeList {
    NodeCell head;
}

class Graph {
    NodeCell nodes;
    EdgeCell edges;

    // sameEdges and sameNodes: nothing is removed for an empty list
    //$ requires no c: NodeCell | c in c.^next
    //$ requires no c: EdgeCell | c in c.^next
    //$ ensures no l.head => this.edges'.*next'.edge' = this.edges.*next.edge
    void removeNodesSameEdges(NodeList l) {
        removeNodes(l.head);
    }

    //$ requires no c: NodeCell | c in c.^next
    //$ requires no c: EdgeCell | c in c.^next
    //$ ensures no l.head => this.nodes'.*next'.node' = this.nodes.*next.node
    void removeNodesSameNodes(NodeList l) {
        removeNodes(l.head);
    }

    private void removeNodes(NodeCell l) {
        NodeCell c = l;
        while (c != null) {
            if (c.node != null) {
                removeEdges(c.node.in);
                removeEdges(c.node.out);
            }
            c = c.next;
        }
        c = l;
        while (c != null) {
            removeNode(c.node);
            c = c.next;
        }
    }

    private void removeEdges(EdgeCell list) {
        EdgeCell c = list;
        while (c != null) {
            removeEdge(c.edge);
            c = c.next;
        }
    }

    private void removeEdge(Edge e) {
        EdgeCell before = null;
        EdgeCell c = edges;
        while (c != null) {
            if (c.edge == e) {
                unlinkEdge(before, c);
            } else {
                before = c;
            }
            c = c.next;
        }
    }

    private void unlinkEdge(EdgeCell before, EdgeCell c) {
        if (before == null) {
            edges = c.next;
        } else {
            before.next = c.next;
        }
    }

    private void removeNode(Node n) {
        NodeCell before = null;
        NodeCell c = nodes;
        while (c != null) {
            if (c.node == n) {
                unlinkNode(before, c);
            } else {
                before = c;
            }
            c = c.next;
        }
    }

    private void unlinkNode(NodeCell before, NodeCell c) {
        if (before == null) {
            nodes = c.next;
        } else {
            before.next = c.next;
        }
    }
}
