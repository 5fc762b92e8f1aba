//! Resolves single expressions and compares what they were understood to say.

mod world;

use spec::resolve::Math;
use world::{World, file};

const CLASSES: &str = "
class p.Node
  field p.Node next
  field int value
  field java.lang.Integer boxed
  static field p.Node NIL
class p.T extends p.Base
  field int count
  field long big
  field byte small
  field char letter
  field float real
  field double wide
  field boolean flag
  field int[] numbers
  field p.Node[] nodes
  field p.Node head
  field java.lang.String name
  field java.lang.Integer boxed
  field java.lang.Boolean truth
  field java.util.List list
  static field int total
  static final field int MAX
  method int m(int,p.Node)
  method int size()
  method boolean has(p.Node)
  method int over(int)
  method long over(long)
  method int over(java.lang.Object)
  method int wild()
  private method int secret()
  static method int twice(int)
  method void nothing()
class p.Base
  field int inherited
  method int base()
class p.T$Inner
  synthetic field p.T this$0
  field int own
  method int g(int)
class p.T$Static
  method int h()
enum p.Color
  static final field p.Color RED
final class p.Last
";

fn source(kind: &str, clause: &str) -> String {
    let spec = match kind {
        "inner" | "static" => String::new(),
        _ => format!("//@ {kind} {clause};"),
    };
    let inner = if kind == "inner" { format!("//@ ensures {clause};") } else { String::new() };
    let nested = if kind == "static" { format!("//@ ensures {clause};") } else { String::new() };
    format!(
        "package p; import java.util.List; import static java.lang.Math.abs;
class T extends Base {{
  {spec}
  int m(int i, /*@ nullable */ Node n) {{ return 0; }}
  /*@ pure */ int size() {{ return 0; }}
  /*@ pure */ boolean has(Node x) {{ return true; }}
  /*@ pure */ int over(int x) {{ return 0; }}
  /*@ pure */ long over(long x) {{ return 0; }}
  /*@ pure */ int over(Object x) {{ return 0; }}
  int wild() {{ return 0; }}
  /*@ pure */ private int secret() {{ return 0; }}
  /*@ pure */ static int twice(int x) {{ return 0; }}
  /*@ pure */ void nothing() {{ }}
  class Inner {{
    {inner}
    int g(int q) {{ return 0; }}
  }}
  static class Static {{
    {nested}
    int h() {{ return 0; }}
  }}
}}
class Base {{ /*@ pure */ int base() {{ return 0; }} }}
"
    )
}

fn resolved(kind: &str, clause: &str, math: Math) -> World {
    World::of(CLASSES, &[file("T.java", &source(kind, clause), None)], math)
}

/// What an expression in `ensures` means, or what is wrong with it.
fn said(kind: &str, clause: &str, math: Math) -> String {
    let world = resolved(kind, clause, math);
    let (class, method) = match kind {
        "inner" => ("p.T$Inner", "g"),
        "static" => ("p.T$Static", "h"),
        _ => ("p.T", "m"),
    };
    let contract = world.contract(class, method);
    let case = contract.cases.first().expect("one case");
    let clauses = if kind == "requires" { &case.requires } else { &case.ensures };
    match clauses.first() {
        Some(clause) => world.show(clause, &contract),
        None => {
            let mistakes = world.mistakes();
            match mistakes.first() {
                Some(mistake) => {
                    let gap = world.gaps(class, method);
                    let (place, _) = mistake.split_once(' ').expect("a place");
                    assert!(gap[0].starts_with(place), "{gap:?} {mistake}");
                    format!("error {mistake}")
                }
                None => format!("gap {}", world.gaps(class, method).join("|")),
            }
        }
    }
}

fn check(kind: &str, math: Math, table: &[(&str, &str)]) {
    for (clause, expected) in table {
        assert_eq!(said(kind, clause, math), *expected, "{clause}");
    }
}

fn ensures(table: &[(&str, &str)]) {
    check("ensures", Math::Java, table);
}

#[test]
fn literals() {
    ensures(&[
        ("true", "true"),
        ("count == 1", "(this.count == 1)"),
        ("count == -1", "(this.count == -1)"),
        ("big == 1L", "(this.big == 1L)"),
        ("big == 1", "(this.big == 1L)"),
        ("letter == 'a'", "((int) this.letter == 97)"),
        ("real == 1.5f", "(this.real == 1.5f)"),
        ("wide == 1.5", "(this.wide == 1.5)"),
        ("name == \"x\"", "(this.name === \"x\")"),
        ("head == null", "(this.head === null)"),
    ]);
}

#[test]
fn names() {
    ensures(&[
        ("count > 0", "(this.count > 0)"),
        ("this.count > 0", "(this.count > 0)"),
        ("i > 0", "(i > 0)"),
        ("n == head", "(n === this.head)"),
        ("inherited > 0", "(this.inherited > 0)"),
        ("super.inherited > 0", "(this.inherited > 0)"),
        ("total > 0", "(T.total > 0)"),
        ("T.total > 0", "(T.total > 0)"),
        ("p.T.total > 0", "(T.total > 0)"),
        ("this.total > 0", "(T.total > 0)"),
        ("MAX > Integer.MAX_VALUE", "(T.MAX > Integer.MAX_VALUE)"),
        ("java.lang.Integer.MAX_VALUE > 0", "(Integer.MAX_VALUE > 0)"),
        ("n.next.next.value > 0", "(n.next.next.value > 0)"),
        ("Node.NIL.next == null", "(Node.NIL.next === null)"),
        ("n != Node.NIL", "!(n === Node.NIL)"),
        ("numbers.length > 0", "(this.numbers.length > 0)"),
        ("numbers[i] > 0", "(this.numbers[i] > 0)"),
        ("nodes[small].value > 0", "(this.nodes[(int) this.small].value > 0)"),
        ("Color.RED == null", "(Color.RED === null)"),
        ("\\result > 0", "(\\result > 0)"),
        ("T.Inner.class == \\type(Node)", "(\\type(Inner) = \\type(Node))"),
    ]);
}

#[test]
fn names_of_nested_classes() {
    check(
        "inner",
        Math::Java,
        &[
            ("own > q", "(this.own > q)"),
            ("count > 0", "(this.this$0.count > 0)"),
            ("inherited > 0", "(this.this$0.inherited > 0)"),
            ("total > 0", "(T.total > 0)"),
            ("size() > 0", "(this.this$0.size() > 0)"),
            ("twice(1) > 0", "(T.twice(1) > 0)"),
        ],
    );
    check(
        "static",
        Math::Java,
        &[
            ("total > 0", "(T.total > 0)"),
            (
                "count > 0",
                "gap the object of the enclosing class is not kept in the compiled class",
            ),
        ],
    );
}

#[test]
fn unknown_names_get_suggestions() {
    ensures(&[
        ("cuont > 0", "error 3:15: `cuont` is not known here (did you mean `count`?)"),
        ("xyzzy > 0", "error 3:15: `xyzzy` is not known here"),
        ("n.vlaue > 0", "error 3:17: `Node` has no field `vlaue` (did you mean `value`?)"),
        (
            "numbers.lenght > 0",
            "error 3:23: `int[]` has no field `lenght` (did you mean `length`?)",
        ),
        ("i.x > 0", "error 3:17: an int has no field `x`"),
        ("Node > 0", "error 3:15: `Node` is a class, not a value"),
        ("Node.next == null", "error 3:15: `next` is a field of objects, not of the class"),
        ("Node.nil == null", "error 3:20: `Node` has no field `nil` (did you mean `NIL`?)"),
        ("n instanceof Nod", "error 3:28: there is no class `Nod` (did you mean `Node`?)"),
        ("sise() > 0", "error 3:15: there is no method `sise` (did you mean `size`?)"),
        ("this.sise() > 0", "error 3:20: `T` has no method `sise` (did you mean `size`?)"),
        ("super > 0", "error 3:15: `super` is not a value"),
    ]);
}

#[test]
fn numbers_are_promoted() {
    ensures(&[
        ("i + big > 0", "(((long) i + this.big) > 0L)"),
        ("small + letter > 0", "(((int) this.small + (int) this.letter) > 0)"),
        ("i + real > 0", "(((float) i + this.real) > (float) 0)"),
        ("big * wide > 1", "(((double) this.big * this.wide) > (double) 1)"),
        ("-small < i", "(-(int) this.small < i)"),
        ("+letter < i", "((int) this.letter < i)"),
        ("~big == 0", "(~this.big == 0L)"),
        ("(i & 1) == 0", "((i & 1) == 0)"),
        ("(i | big) == 0", "(((long) i | this.big) == 0L)"),
        ("(i << big) > 0", "((i << this.big) > 0)"),
        ("(small >>> 2) > 0", "(((int) this.small >>> 2) > 0)"),
        ("(big >> i) > 0", "((this.big >> i) > 0L)"),
        ("i / 2 % 3 - 4 != 0", "((((i / 2) % 3) - 4) != 0)"),
        ("(flag ? i : big) > 0", "((this.flag ? (long) i : this.big) > 0L)"),
        ("(flag ? head : null) == n", "((this.flag ? this.head : null) === n)"),
        ("(flag ? head : name) == n", "((this.flag ? this.head : this.name) === n)"),
    ]);
}

#[test]
fn truth_values() {
    ensures(&[
        ("flag && i > 0 || !flag", "((this.flag && (i > 0)) || !this.flag)"),
        ("flag ==> i > 0", "(this.flag ==> (i > 0))"),
        ("i > 0 <== flag", "(this.flag ==> (i > 0))"),
        ("flag <==> i > 0", "(this.flag <==> (i > 0))"),
        ("flag <=!=> i > 0", "(this.flag <=!=> (i > 0))"),
        ("flag == (i > 0)", "(this.flag <==> (i > 0))"),
        ("flag != (i > 0)", "(this.flag <=!=> (i > 0))"),
        ("flag & i > 0", "(this.flag & (i > 0))"),
        ("flag | i > 0", "(this.flag | (i > 0))"),
        ("flag ^ i > 0", "(this.flag <=!=> (i > 0))"),
        ("truth", "this.truth.booleanValue()"),
        ("truth == flag", "(this.truth.booleanValue() <==> this.flag)"),
    ]);
}

#[test]
fn boxes() {
    ensures(&[
        ("boxed == 1", "(this.boxed.intValue() == 1)"),
        ("boxed + big > 0", "(((long) this.boxed.intValue() + this.big) > 0L)"),
        ("boxed == n.boxed", "(this.boxed === n.boxed)"),
        ("boxed < n.boxed", "(this.boxed.intValue() < n.boxed.intValue())"),
        ("boxed == null", "(this.boxed === null)"),
        ("numbers[boxed] > 0", "(this.numbers[this.boxed.intValue()] > 0)"),
        ("list.contains(i)", "this.list.contains(Integer.valueOf(i))"),
        ("(int) list.get(0) > 0", "((Integer) this.list.get(0).intValue() > 0)"),
        ("(Integer) list.get(0) > i", "((Integer) this.list.get(0).intValue() > i)"),
    ]);
}

#[test]
fn casts_and_types() {
    ensures(&[
        ("(byte) i == i", "((int) (byte) i == i)"),
        ("(int) i == i", "(i == i)"),
        ("(long) i == i", "((long) i == (long) i)"),
        ("(Object) n == head", "(n === this.head)"),
        ("((Node) list).value > 0", "((Node) this.list.value > 0)"),
        ("(\\bigint) i + 1 > 0", "(((\\bigint) i + 1) > 0)"),
        ("list instanceof Node", "(this.list instanceof Node)"),
        ("n instanceof Last", "error 3:15: a Node is never an instance of `Last`"),
        ("\\typeof(n) == \\type(Node)", "(\\typeof(n) = \\type(Node))"),
        ("\\typeof(n) != Node.class", "!(\\typeof(n) = \\type(Node))"),
        ("n.getClass() == Node.class", "(\\typeof(n) = \\type(Node))"),
        ("\\typeof(n) <: \\type(Object)", "(\\typeof(n) <: \\type(Object))"),
        (
            "\\elemtype(\\typeof(nodes)) == \\type(Node)",
            "(\\elemtype(\\typeof(this.nodes)) = \\type(Node))",
        ),
        ("\\type(int[]) <: \\type(Object)", "(\\type(int[]) <: \\type(Object))"),
        ("\\nonnullelements(nodes)", "\\nonnullelements(this.nodes)"),
    ]);
}

#[test]
fn two_states() {
    ensures(&[
        ("\\old(count) < count", "(\\old(this.count) < this.count)"),
        ("\\pre(n.next) == n", "(\\old(n.next) === n)"),
        ("\\fresh(head)", "\\fresh(this.head)"),
        ("\\fresh(head, n)", "(\\fresh(this.head) && \\fresh(n))"),
    ]);
    check(
        "requires",
        Math::Java,
        &[
            ("\\old(count) == 0", "error 3:16: `\\old` has no meaning here"),
            ("\\result == 0", "error 3:16: `\\result` has no meaning here"),
            ("\\fresh(head)", "error 3:16: `\\fresh` has no meaning here"),
            ("count == 0", "(this.count == 0)"),
        ],
    );
}

#[test]
fn quantifiers() {
    ensures(&[
        (
            "(\\forall int k; 0 <= k && k < i; numbers[k] > 0)",
            "(\\forall int k; ((0 <= k) && (k < i)); (this.numbers[k] > 0))",
        ),
        ("(\\exists int k, j; k < j)", "(\\exists int k, int j; (k < j))"),
        ("(\\forall Node x; x.value > 0)", "(\\forall Node x; (x.value > 0))"),
        ("(\\forall nullable Node x; x != n)", "(\\forall nullable Node x; !(x === n))"),
        ("(\\forall boolean b; b || !b)", "(\\forall boolean b; (b || !b))"),
        ("(\\forall \\bigint b; b > i)", "(\\forall \\bigint b; (b > (\\bigint) i))"),
        (
            "(\\num_of int k; 0 <= k && k < i; numbers[k] > 0) == i",
            "((\\num_of int k; ((0 <= k) && (k < i)); (this.numbers[k] > 0)) == (long) i)",
        ),
        (
            "(\\sum int k; 0 <= k && k < i; small) > 0",
            "((\\sum int k; ((0 <= k) && (k < i)); (int) this.small) > 0)",
        ),
        ("(\\product int k; 0 < k; big) > 0", "((\\product int k; (0 < k); this.big) > 0L)"),
        ("(\\min int k; 0 < k; k) > 0", "((\\min int k; (0 < k); k) > 0)"),
        ("(\\max int k; 0 < k; k) > 0", "((\\max int k; (0 < k); k) > 0)"),
        (
            "(\\forall int i; (\\exists int i; i > 0) && i > 0)",
            "(\\forall int i; ((\\exists int i; (i > 0)) && (i > 0)))",
        ),
        ("(\\forall float f; f > 0)", "gap quantification over `float` is not supported"),
        (
            "(\\sum int k; 0 < k; real) > 0",
            "gap `\\sum` of floating-point numbers is not supported",
        ),
        ("(\\forall int k; k)", "error 3:31: a condition is needed here, but this is an int"),
        ("(\\sum int k; flag) > 0", "error 3:28: `\\sum` needs a number, but this is a boolean"),
        ("(\\forall E x; x != n)", "gap the type variable `E` is not supported here"),
    ]);
}

#[test]
fn sets_of_objects() {
    ensures(&[
        (
            "\\reach(head, Node, next).has(n)",
            "(!(n === null) && ({n} in \\reach(this.head, Node, [next])))",
        ),
        (
            "\\reach(this, Node, [Node.next]).contains(n)",
            "(!(n === null) && ({n} in \\reach(this, Node, [next])))",
        ),
        ("\\reach(head).int_size() == i", "(#\\reach(this.head) == i)"),
        ("\\reach(head).isEmpty()", "(no \\reach(this.head))"),
        ("\\reach(this, T, this.head) == \\reach(n)", "(\\reach(this, T, [head]) = \\reach(n))"),
        ("\\reach(head) != \\old(\\reach(n))", "!(\\reach(this.head) = \\old(\\reach(n)))"),
        ("\\reach(head).containsAll(\\reach(n))", "(\\reach(n) in \\reach(this.head))"),
        (
            "\\reach(head, Node, nexxt).has(n)",
            "error 3:34: `Node` has no field `nexxt` (did you mean `next`?)",
        ),
        (
            "\\reach(head, Node, value).has(n)",
            "error 3:34: `value` leads from no object to another",
        ),
        (
            "\\reach(head)",
            "error 3:15: a set of objects can only be compared with `==` and `!=` or asked with \
             `.has(x)`, `.int_size()` and `.isEmpty()`",
        ),
        (
            "\\reach(head).hasnt(n)",
            "error 3:28: a set of objects has no such method `hasnt` (did you mean `has`?)",
        ),
        ("\\reach(i).isEmpty()", "error 3:22: an object is needed here, but this is an int"),
    ]);
}

#[test]
fn calls() {
    ensures(&[
        ("size() > 0", "(this.size() > 0)"),
        ("this.has(n)", "this.has(n)"),
        ("has(null)", "this.has(null)"),
        ("over(i) > 0", "(this.over(i) > 0)"),
        ("over(small) > 0", "(this.over((int) this.small) > 0)"),
        ("over(big) > 0", "(this.over(this.big) > 0L)"),
        ("over(head) > 0", "(this.over(this.head) > 0)"),
        ("over(flag) > 0", "(this.over(Boolean.valueOf(this.flag)) > 0)"),
        ("secret() > 0", "(this.T::secret() > 0)"),
        ("super.base() > 0", "(this.Base::base() > 0)"),
        ("base() > 0", "(this.base() > 0)"),
        ("twice(2) > 0", "(T.twice(2) > 0)"),
        ("T.twice(2) > 0", "(T.twice(2) > 0)"),
        ("Math.max(i, big) > 0", "(Math.max((long) i, this.big) > 0L)"),
        ("abs(i) > 0", "(Math.abs(i) > 0)"),
        ("name.length() > 0", "(this.name.length() > 0)"),
        ("head.equals(n)", "this.head.equals(n)"),
        ("numbers.equals(n)", "this.numbers.equals(n)"),
        ("list.size() > 0", "(this.list.size() > 0)"),
    ]);
}

#[test]
fn calls_that_are_wrong() {
    ensures(&[
        (
            "wild() > 0",
            "error 3:15: `wild` is not pure; a specification may call only pure methods (did you \
             mean `/*@ pure */`?)",
        ),
        ("has(i)", "error 3:15: no method `has` of `T` takes (int); there is `has(Node)`"),
        ("size(i) > 0", "error 3:15: no method `size` of `T` takes (int); there is `size()`"),
        ("T.size() > 0", "error 3:17: `size` is a method of objects, not of the class"),
        ("nothing() == 0", "error 3:15: `nothing` returns nothing"),
        ("i.size() > 0", "error 3:17: an int has no method `size`"),
        ("null.size() > 0", "error 3:20: null has no method `size`"),
    ]);
}

#[test]
fn mistakes_in_types() {
    ensures(&[
        ("i", "error 3:15: a condition is needed here, but this is an int"),
        ("head", "error 3:15: a condition is needed here, but this is a Node"),
        ("!i", "error 3:16: a condition is needed here, but this is an int"),
        ("flag && i", "error 3:23: a condition is needed here, but this is an int"),
        (
            "0 <= i > 10",
            "error 3:15: comparisons do not chain; write `0 <= i && i > 10` (did you mean `0 <= i \
             && i > 10`?)",
        ),
        (
            "i == 0 == count",
            "error 3:15: comparisons do not chain; write `i == 0 && 0 == count` (did you mean `i == \
             0 && 0 == count`?)",
        ),
        ("flag < 1", "error 3:15: `<` needs numbers, but this is a boolean"),
        ("head + 1 > 0", "error 3:15: `+` needs numbers, but this is a Node"),
        ("i == null", "error 3:15: an int and null can not be compared"),
        ("flag == i", "error 3:15: a boolean and an int can not be compared"),
        ("head == name", "error 3:15: a Node and a String are never the same"),
        ("head[0] == n", "error 3:15: an array is needed here, but this is a Node"),
        ("numbers[big] == 0", "error 3:23: an index is an int, but this is a long"),
        ("numbers[flag] == 0", "error 3:23: an index is an int, but this is a boolean"),
        ("-flag > 0", "error 3:16: a number is needed here, but this is a boolean"),
        ("~real > 0", "error 3:16: `~` needs an integer, but this is a float"),
        ("(real & 1) > 0", "error 3:16: `&` needs integers, but this is a float"),
        ("(flag ? i : head) == n", "error 3:15: an int and a Node have no type in common"),
        ("(boolean) i", "error 3:15: an int can not become a boolean"),
        ("(Node) name == n", "error 3:15: a String can not become a Node"),
        ("\\typeof(i) == \\type(int)", "error 3:23: an object is needed here, but this is an int"),
        ("n <: head", "error 3:15: `<:` needs types, but this is a Node"),
        ("\\elemtype(n) == \\type(int)", "error 3:25: a type is needed here, but this is a Node"),
        ("\\nonnullelements(numbers)", "error 3:32: the elements of an int[] are never null"),
        ("n instanceof int", "error 3:28: a class is needed here, but `int` is none"),
        ("\\fresh(i)", "error 3:22: an object is needed here, but this is an int"),
    ]);
}

#[test]
fn what_is_not_supported_leaves_a_gap() {
    ensures(&[
        ("name + i == name", "gap string concatenation is not supported"),
        ("new Node() == n", "gap `new` is not supported"),
        ("\\max_lock(count)", "gap `\\max_lock` is not supported"),
        ("n.getClass().isArray()", "gap `isArray of a type` is not supported"),
    ]);
}

#[test]
fn integers_that_must_fit() {
    check(
        "ensures",
        Math::Safe,
        &[
            ("i + 1 > i", "(fitted int(((\\bigint) i + 1)) > i)"),
            ("-i > 0", "(fitted int(-(\\bigint) i) > 0)"),
            ("-1 < i", "(-1 < i)"),
            ("i * big > 0", "(fitted long(((\\bigint) (long) i * (\\bigint) this.big)) > 0L)"),
            ("real + 1 > 0", "((this.real + (float) 1) > (float) 0)"),
            ("(i & 1) << 2 == 0", "(((i & 1) << 2) == 0)"),
            (
                "(\\sum int k; 0 <= k && k < i; k) == 0",
                "(fitted int((\\sum int k; ((0 <= k) && (k < i)); (\\bigint) k)) == 0)",
            ),
        ],
    );
}

#[test]
fn mathematical_integers() {
    check(
        "ensures",
        Math::Bigint,
        &[
            ("i + 1 > i", "(((\\bigint) i + 1) > (\\bigint) i)"),
            ("i > 0", "(i > 0)"),
            ("-i > 0", "(-(\\bigint) i > 0)"),
            ("-1 < i", "(-1 < i)"),
            ("i * big / 2 == 0", "((((\\bigint) i * (\\bigint) this.big) / 2) == 0)"),
            ("real + 1 > 0", "((this.real + (float) 1) > (float) 0)"),
            ("(int) (i + 1) > 0", "((int) ((\\bigint) i + 1) > 0)"),
            ("(i & 1) == 0", "((i & 1) == 0)"),
            (
                "((i + 1) & 1) == 0",
                "error 3:16: `&` works on the bits of an int or a long, not of a \\bigint (did you \
                 mean `(int)`?)",
            ),
            ("((int) (i + 1) & 1) == 0", "(((int) ((\\bigint) i + 1) & 1) == 0)"),
            (
                "(i + 1) * wide > 0",
                "gap `\\bigint` together with floating-point numbers is not supported",
            ),
            (
                "numbers[i + 1] > 0",
                "(this.numbers[(((\\bigint) (int) ((\\bigint) i + 1) == ((\\bigint) i + 1)) ? \
                 (int) ((\\bigint) i + 1) : -1)] > 0)",
            ),
            ("over(i + 1) > 0", "(this.over((int) ((\\bigint) i + 1)) > 0)"),
            ("(\\sum int k; 0 < k; k) > 0", "((\\sum int k; (0 < k); (\\bigint) k) > 0)"),
            (
                "(\\num_of int k; 0 < k; flag) > 0",
                "((\\bigint) (\\num_of int k; (0 < k); this.flag) > 0)",
            ),
            ("(\\max int k; 0 < k; k) > 0", "((\\max int k; (0 < k); k) > 0)"),
        ],
    );
}

#[test]
fn long_clauses_do_not_exhaust_the_stack() {
    let long = vec!["i > 0"; 500].join(" && ");
    assert!(said("ensures", &long, Math::Java).starts_with("(((("));
    let implications = vec!["flag"; 1000].join(" ==> ");
    assert!(said("ensures", &implications, Math::Java).starts_with("(this.flag ==> ("));
    let fields = format!("n{} == n", ".next".repeat(1000));
    assert!(said("ensures", &fields, Math::Java).starts_with("(n.next.next"));
    let unknown = format!("a{} == n", ".b".repeat(1000));
    assert_eq!(said("ensures", &unknown, Math::Java), "error 3:15: `a` is not known here");
    let elements = format!("numbers{} == n", "[0]".repeat(900));
    let deep = "gap expressions that are nested so deeply are not supported";
    assert_eq!(said("ensures", &elements, Math::Java), deep);
    let calls = format!("name{} == n", ".length()".repeat(700));
    assert_eq!(said("ensures", &calls, Math::Java), deep);
    let sum = vec!["i"; 1200].join(" + ");
    assert!(said("ensures", &format!("{sum} > 0"), Math::Java).starts_with("(((("));
}
