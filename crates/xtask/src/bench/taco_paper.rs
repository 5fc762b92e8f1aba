//! The figures of Galeotti et al., "TACO: Efficient SAT-Based Bounded Verification Using Symmetry
//! Breaking and Tight Bounds", section 5, as printed: minutes and seconds, `TO` beyond ten hours. They
//! unrolled each loop ten times, and had other machines and other programs; the times are no contest.

/// The scopes of tables 3 and 4.
pub const SCOPES: [u32; 7] = [5, 7, 10, 12, 15, 17, 20];

/// A method and a figure for each of [`SCOPES`].
pub struct Row {
    pub class: &'static str,
    pub method: &'static str,
    pub times: [&'static str; 7],
}

const fn row(class: &'static str, method: &'static str, times: [&'static str; 7]) -> Row {
    Row { class, method, times }
}

/// Table 2: time with symmetry breaking to time without, in the largest scope that both finish.
pub const SYMMETRY: [(&str, &str, &str); 22] = [
    ("LList", "contains", "150 %"),
    ("LList", "insert", "102 %"),
    ("LList", "remove", "21 %"),
    ("AList", "contains", "18292 %"),
    ("AList", "insert", "0.22 %"),
    ("AList", "remove", "0.09 %"),
    ("CList", "contains", "17948 %"),
    ("CList", "insert", "0.29 %"),
    ("CList", "remove", "0.05 %"),
    ("BSTree", "contains", "0.25 %"),
    ("BSTree", "insert", "5.06 %"),
    ("BSTree", "remove", "0.03 %"),
    ("TreeSet", "find", "0.21 %"),
    ("TreeSet", "insert", "1.19 %"),
    ("TreeSet", "remove", "1.07 %"),
    ("AVL", "find", "0.12 %"),
    ("AVL", "findMax", "0.127 %"),
    ("AVL", "insert", "0.44 %"),
    ("AVL", "remove", "2.07 %"),
    ("BHeap", "findMin", "0.04 %"),
    ("BHeap", "decKey", "0.26 %"),
    ("BHeap", "insert", "0.36 %"),
];

/// Table 4: with both; computing the bounds not included.
pub const TACO: [Row; 22] = [
    row("LList", "contains", ["00:03", "00:04", "00:05", "00:06", "00:07", "00:09", "00:15"]),
    row("LList", "insert", ["00:04", "00:05", "00:07", "00:08", "00:13", "00:26", "00:40"]),
    row("LList", "remove", ["00:04", "00:06", "00:11", "00:12", "00:17", "00:33", "00:42"]),
    row("AList", "contains", ["00:04", "00:06", "00:16", "00:22", "00:27", "00:58", "02:49"]),
    row("AList", "insert", ["00:04", "00:05", "00:07", "00:08", "00:12", "00:16", "00:25"]),
    row("AList", "remove", ["00:05", "00:06", "00:17", "00:31", "01:08", "03:13", "08:24"]),
    row("CList", "contains", ["00:11", "00:19", "01:23", "01:56", "05:51", "07:25", "06:54"]),
    row("CList", "insert", ["00:09", "00:12", "00:16", "00:28", "01:07", "02:01", "04:57"]),
    row("CList", "remove", ["00:27", "00:59", "03:26", "03:43", "28:18", "57:23", "89:17"]),
    row("BSTree", "contains", ["00:01", "00:25", "114:06", "TO", "TO", "TO", "TO"]),
    row("BSTree", "insert", ["00:01", "00:26", "32:58", "TO", "TO", "TO", "TO"]),
    row("BSTree", "remove", ["08:19", "102:46", "TO", "TO", "TO", "TO", "TO"]),
    row("TreeSet", "find", ["00:04", "00:10", "01:56", "12:43", "58:54", "305:06", "TO"]),
    row("TreeSet", "insert", ["00:43", "08:44", "TO", "TO", "TO", "TO", "TO"]),
    row("TreeSet", "remove", ["00:53", "06:25", "196:58", "TO", "TO", "TO", "TO"]),
    row("AVL", "find", ["00:03", "00:06", "00:36", "01:41", "08:20", "33:06", "179:53"]),
    row("AVL", "findMax", ["00:01", "00:01", "00:03", "00:04", "00:09", "00:13", "01:09"]),
    row("AVL", "insert", ["00:07", "00:34", "04:47", "21:53", "173:57", "TO", "TO"]),
    row("AVL", "remove", ["00:10", "01:25", "06:36", "60:17", "128:47", "TO", "TO"]),
    row("BHeap", "findMin", ["00:05", "00:08", "00:14", "00:17", "01:31", "02:51", "07:26"]),
    row("BHeap", "decKey", ["00:16", "01:13", "30:26", "TO", "TO", "TO", "TO"]),
    row("BHeap", "insert", ["01:54", "08:08", "37:30", "218:13", "TO", "TO", "TO"]),
];

/// Table 3: for each class the entries before, those left, and the time of the eager algorithm.
pub struct Bounds {
    pub class: &'static str,
    pub before: [u32; 7],
    pub after: [u32; 7],
    pub time: [&'static str; 7],
}

/// Table 3.
pub const BOUNDS: [Bounds; 7] = [
    Bounds {
        class: "LList",
        before: [30, 56, 110, 156, 240, 306, 420],
        after: [9, 13, 19, 23, 29, 33, 39],
        time: ["00:11", "00:11", "00:15", "00:24", "00:47", "01:04", "01:37"],
    },
    Bounds {
        class: "AList",
        before: [76, 128, 252, 344, 512, 676, 904],
        after: [33, 47, 68, 82, 103, 117, 138],
        time: ["00:11", "00:14", "00:51", "00:33", "00:55", "03:15", "300:20"],
    },
    Bounds {
        class: "CList",
        before: [328, 384, 498, 594, 768, 904, 1138],
        after: [97, 127, 172, 210, 240, 277, 322],
        time: ["00:35", "00:46", "01:11", "01:38", "01:46", "05:16", "TO"],
    },
    Bounds {
        class: "BSTree",
        before: [90, 168, 330, 468, 720, 918, 1260],
        after: [54, 97, 184, 257, 389, 492, 669],
        time: ["00:11", "00:11", "00:16", "00:38", "01:56", "04:05", "21:19"],
    },
    Bounds {
        class: "TreeSet",
        before: [170, 280, 650, 852, 1200, 2006, 2540],
        after: [59, 107, 200, 279, 424, 533, 720],
        time: ["00:16", "00:30", "01:44", "02:51", "05:19", "16:42", "40:37"],
    },
    Bounds {
        class: "AVL",
        before: [150, 280, 650, 852, 1200, 2006, 2540],
        after: [55, 98, 177, 251, 389, 491, 669],
        time: ["00:17", "00:32", "01:55", "03:46", "10:36", "47:25", "168:23"],
    },
    Bounds {
        class: "BHeap",
        before: [222, 360, 803, 1053, 1488, 2394, 2540],
        after: [75, 123, 218, 293, 423, 481, 669],
        time: ["00:22", "01:12", "02:46", "04:41", "10:32", "34:50", "117:20"],
    },
];

/// Table 10: canonical instances of up to 3 to 10 nodes. It prints 16 for AVL trees of 6; there are 19.
pub const INSTANCES: [(&str, [usize; 8]); 7] = [
    ("LList", [4, 5, 6, 7, 8, 9, 10, 11]),
    ("AList", [3, 4, 5, 6, 7, 8, 9, 10]),
    ("CList", [6, 10, 15, 21, 28, 36, 45, 55]),
    ("BSTree", [9, 23, 65, 197, 626, 2056, 6918, 23714]),
    ("TreeSet", [6, 10, 18, 34, 67, 123, 213, 377]),
    ("AVL", [5, 9, 15, 19, 36, 68, 112, 172]),
    ("BHeap", [4, 5, 6, 7, 8, 9, 10, 11]),
];

/// Table 5: the time for all mutants of a method, computing bounds and checking.
pub const MUTANTS: [(&str, &str, &str); 3] = [
    ("LList", "remove", "08:36 + 00:40"),
    ("CList", "remove", "34:51 + 06:35"),
    ("BHeap", "extractMin", "16:06 + 01:09"),
];

/// Table 8: the full cache, by its maximum.
pub const CACHE: [(u32, &str); 6] = [
    (5, "01:21 + 00:01"),
    (10, "02:25 + 00:11"),
    (13, "05:27 + 00:32"),
    (15, "21:31 + 00:15"),
    (18, "30:00 + 02:27"),
    (20, "30:00 + 02:11"),
];

/// Table 9: the fault in `extractMin`, with 13 nodes.
pub const EXTRACT_MIN: &str = "20:13 + 00:53";
