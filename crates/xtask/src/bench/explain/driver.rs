//! Driver-like C programs: request completion, lock discipline, state machines with nested calls.
//!
//! A driver is a set of handlers behind a dispatcher. What a handler does to registers, counters and
//! buffers is drawn from patterns that drivers are full of and that have nothing to do with the
//! property; what it does to its request, its locks and its state follows a discipline. The program
//! checks that discipline where requests are completed, locks are taken, and requests return.
//! With a seeded bug one handler forgets it on one way out.

/// What a driver has to observe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Discipline {
    /// A request is completed exactly once, or pended.
    pub completion: bool,
    /// A lock is not taken twice, and is free when a request returns.
    pub locks: u32,
    /// Hardware is touched in the right states only.
    pub states: bool,
    /// How many functions a handler goes through on its way to the hardware.
    pub depth: u32,
}

/// A driver to be written.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub name: &'static str,
    pub handlers: u32,
    pub discipline: Discipline,
}

/// Six drivers, from small to large.
pub const PLANS: [Plan; 6] = [
    plan("floppy", 11, true, 0, false, 1),
    plan("keyboard", 18, false, 1, false, 1),
    plan("parport", 30, false, 0, true, 2),
    plan("disk", 38, true, 1, false, 2),
    plan("serial", 60, true, 2, true, 2),
    plan("network", 80, true, 1, true, 3),
];

const fn plan(
    name: &'static str,
    handlers: u32,
    completion: bool,
    locks: u32,
    states: bool,
    depth: u32,
) -> Plan {
    Plan { name, handlers, discipline: Discipline { completion, locks, states, depth } }
}

const VERBS: [&str; 12] = [
    "read", "write", "seek", "reset", "query", "set", "flush", "start", "stop", "format", "verify",
    "eject",
];
const NOUNS: [&str; 10] = [
    "sector",
    "track",
    "media",
    "mode",
    "geometry",
    "status",
    "buffer",
    "timing",
    "counters",
    "parameters",
];
const REGISTERS: [&str; 8] =
    ["CONTROL", "STATUS", "DATA", "TIMER", "COMMAND", "MASK", "FIFO", "SELECT"];
const FIELDS: [&str; 6] = ["retries", "transferred", "errors", "position", "pace", "watermark"];

struct Writer {
    plan: Plan,
    bug: bool,
    text: String,
    state: u64,
}

/// The text of a driver, right or with a seeded bug.
pub fn write(plan: Plan, bug: bool) -> String {
    let mut writer = Writer { plan, bug, text: String::new(), state: 7 };
    writer.head();
    writer.discipline();
    writer.hardware();
    let names: Vec<String> = (0..plan.handlers).map(name).collect();
    for (number, name) in names.iter().enumerate() {
        writer.handler(number as u32, name);
    }
    writer.dispatch(&names);
    writer.main();
    writer.text
}

fn name(number: u32) -> String {
    let (verb, noun) = (number as usize % VERBS.len(), number as usize / VERBS.len());
    format!("{}_{}", VERBS[verb], NOUNS[(noun * 3 + verb) % NOUNS.len()])
        + &if noun > 0 { format!("_{noun}") } else { String::new() }
}

impl Writer {
    fn dice(&mut self, sides: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.state >> 33) % sides
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.dice(of.len() as u64) as usize]
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn head(&mut self) {
        let Plan { name, .. } = self.plan;
        self.line(&format!("/* A driver for a {name} device. */"));
        self.line("#include <stddef.h>\n");
        self.line(
            "#define STATUS_SUCCESS 0\n#define STATUS_PENDING 259\n#define STATUS_INVALID (-3)",
        );
        self.line("#define STATUS_BUSY (-4)\n#define STATUS_DEVICE_ERROR (-5)\n#define STATUS_TIMEOUT (-6)\n");
        for (number, register) in REGISTERS.iter().enumerate() {
            self.line(&format!("#define PORT_{register} {:#x}", 0x300 + number * 4));
        }
        self.line(
            "\nenum device_state { STOPPED, STARTED, PAUSED, REMOVED };\n\n\
             struct request {\n    unsigned code;\n    unsigned length;\n    unsigned minor;\n    \
             int status;\n    unsigned long information;\n    struct request *next;\n};\n\n\
             struct extension {\n    int open_count;\n    unsigned base;\n    unsigned flags;\n    \
             unsigned retries;\n    unsigned transferred;\n    unsigned errors;\n    unsigned position;\n    \
             unsigned pace;\n    unsigned watermark;\n    struct request *current;\n};\n\n\
             extern unsigned read_port(unsigned port);\nextern void write_port(unsigned port, unsigned value);\n\
             extern unsigned next_code(void);\nextern unsigned next_length(void);\nextern int more_requests(void);\n\
             extern int interrupt_arrived(void);\n\n\
             static struct extension device;\nstatic struct request request;\n",
        );
    }

    /// The rules, and where they are checked.
    fn discipline(&mut self) {
        let Discipline { completion, locks, states, .. } = self.plan.discipline;
        if completion {
            self.line(
                "static int completed;\nstatic int pended;\n\n\
                 static void complete_request(struct request *r, int status)\n{\n    \
                 if (completed) {\n        ERROR: return;\n    }\n    r->status = status;\n    completed = 1;\n}\n\n\
                 static int pend_request(struct request *r)\n{\n    if (completed) {\n        ERROR: return STATUS_PENDING;\n    }\n    \
                 device.current = r;\n    pended = 1;\n    return STATUS_PENDING;\n}\n",
            );
        }
        for number in 0..locks {
            self.line(&format!(
                "static int lock{number};\n\nstatic void acquire{number}(void)\n{{\n    if (lock{number}) {{\n        \
                 ERROR: return;\n    }}\n    lock{number} = 1;\n}}\n\nstatic void release{number}(void)\n{{\n    \
                 if (!lock{number}) {{\n        ERROR: return;\n    }}\n    lock{number} = 0;\n}}\n"
            ));
        }
        if states {
            self.line("static enum device_state state;\n");
        }
        self.line("static void misused(void)\n{\n    ERROR: return;\n}\n");
    }

    /// The functions between a handler and the ports.
    fn hardware(&mut self) {
        let Discipline { states, depth, .. } = self.plan.discipline;
        let check = if states {
            "    if (state != STARTED) {\n        ERROR: return;\n    }\n"
        } else {
            ""
        };
        self.line(&format!(
            "static void issue_level0(unsigned port, unsigned value)\n{{\n{check}    write_port(device.base + port, value);\n}}\n"
        ));
        for level in 1..depth {
            self.line(&format!(
                "static void issue_level{level}(unsigned port, unsigned value)\n{{\n    unsigned kept = read_port(port);\n    \
                 if (value & 0x80)\n        kept = kept | value;\n    else\n        kept = kept & 0x7f;\n    \
                 issue_level{}(port, kept);\n    device.position = device.position + 1;\n}}\n",
                level - 1
            ));
        }
        self.line(
            "static int wait_ready(unsigned limit)\n{\n    unsigned tries = 0;\n    while (tries < limit) {\n        \
             if (read_port(PORT_STATUS) & 1)\n            return STATUS_SUCCESS;\n        tries++;\n    }\n    \
             return STATUS_TIMEOUT;\n}\n",
        );
    }

    /// A few lines of what drivers do all day.
    fn routine(&mut self) {
        let (register, field) = (self.one(&REGISTERS), self.one(&FIELDS));
        let (number, other) = (self.dice(64), self.one(&FIELDS));
        let text = match self.dice(8) {
            0 => format!(
                "    value = read_port(PORT_{register});\n    if (value & {:#x})\n        device.{field} = device.{field} + 1;\n    \
                 else\n        device.{other} = value >> 3;",
                1 << (number % 8)
            ),
            1 => format!(
                "    if (device.{field} > {number}) {{\n        device.{field} = {number};\n        device.errors++;\n    }}"
            ),
            2 => format!(
                "    for (i = 0; i < {}; i++) {{\n        value = value ^ read_port(PORT_{register} + i);\n        \
                 device.{field} += value & 0xf;\n    }}",
                number % 6 + 2
            ),
            3 => format!(
                "    switch (r->minor & 3) {{\n    case 0:\n        device.{field} = 0;\n        break;\n    case 1:\n        \
                 device.{field} = device.{other};\n        break;\n    default:\n        device.flags |= {number};\n    }}"
            ),
            4 => format!(
                "    value = (device.{field} << 2) | (value & 3);\n    write_port(PORT_{register}, value);"
            ),
            5 => format!(
                "    if (device.flags & {:#x}) {{\n        device.flags &= ~{:#x}u;\n        write_port(PORT_{register}, {number});\n    }} \
                 else if (device.open_count > {}) {{\n        device.{field}++;\n    }}",
                1 << (number % 6),
                1 << (number % 6),
                number % 5 + 1
            ),
            6 => format!(
                "    value = r->length / {};\n    device.{field} = device.{field} + value;\n    r->information = value;",
                number % 7 + 2
            ),
            _ => format!(
                "    if (interrupt_arrived()) {{\n        value = read_port(PORT_{register});\n        device.{field} = value;\n    }}"
            ),
        };
        self.line(&text);
    }

    /// Leaves a handler with a status; the discipline is observed unless the way out is the seeded one.
    fn leave(&mut self, status: &str, held: Option<u32>, indent: &str, forgets: bool) {
        if let Some(lock) = held
            && (!forgets || self.plan.discipline.completion)
        {
            self.line(&format!("{indent}release{lock}();"));
        }
        if self.plan.discipline.completion {
            if status == "STATUS_PENDING" {
                self.line(&format!("{indent}return pend_request(r);"));
                return;
            }
            if !forgets {
                self.line(&format!("{indent}complete_request(r, {status});"));
            }
        }
        self.line(&format!("{indent}return {status};"));
    }

    fn handler(&mut self, number: u32, name: &str) {
        let Discipline { completion, locks, states, depth } = self.plan.discipline;
        let seeded = self.bug && number == self.plan.handlers * 2 / 3;
        self.line(&format!(
            "static int {name}(struct request *r)\n{{\n    unsigned value = 0;\n    unsigned i = 0;\n    int status;\n"
        ));
        let least = 4 + self.dice(60);
        self.line(&format!("    if (r->length < {least}) {{"));
        self.leave("STATUS_INVALID", None, "        ", seeded && locks == 0 && completion);
        self.line("    }");
        if states && (completion || !seeded) {
            self.line("    if (state != STARTED) {");
            self.leave("STATUS_BUSY", None, "        ", false);
            self.line("    }");
        }
        self.routine();
        let lock = (locks > 0 && self.dice(4) > 0).then(|| self.dice(u64::from(locks)) as u32);
        let lock = if seeded && locks > 0 { Some(0) } else { lock };
        if let Some(lock) = lock {
            self.line(&format!("    acquire{lock}();"));
        }
        self.routine();
        let limit = 10 + self.dice(90);
        self.line(&format!("    status = wait_ready({limit});\n    if (status != STATUS_SUCCESS) {{\n        device.errors++;"));
        self.leave("status", lock, "        ", seeded && locks > 0);
        self.line("    }");
        self.routine();
        let register = self.one(&REGISTERS);
        self.line(&format!("    issue_level{}(PORT_{register}, value);", depth - 1));
        self.routine();
        if completion && self.dice(3) == 0 {
            self.line("    if (read_port(PORT_STATUS) & 4) {\n        device.retries = 0;");
            self.leave("STATUS_PENDING", lock, "        ", false);
            self.line("    }");
        }
        self.routine();
        self.leave("STATUS_SUCCESS", lock, "    ", false);
        self.line("}\n");
    }

    fn dispatch(&mut self, names: &[String]) {
        let Discipline { states, .. } = self.plan.discipline;
        self.line("static int dispatch(struct request *r)\n{\n    switch (r->code) {");
        if states {
            for (code, from, to) in [
                ("0x100", "STOPPED", "STARTED"),
                ("0x101", "STARTED", "PAUSED"),
                ("0x102", "PAUSED", "STARTED"),
            ] {
                self.line(&format!(
                    "    case {code}:\n        if (state == {from})\n            state = {to};"
                ));
                self.leave("STATUS_SUCCESS", None, "        ", false);
            }
        }
        for (number, name) in names.iter().enumerate() {
            self.line(&format!("    case {number}:\n        return {name}(r);"));
        }
        self.line("    default:");
        self.leave("STATUS_INVALID", None, "        ", false);
        self.line("    }");
        self.line("}\n");
    }

    fn main(&mut self) {
        let Discipline { completion, locks, states, .. } = self.plan.discipline;
        self.line("int main(void)\n{\n    int status;\n    struct request *r = &request;\n\n    device.base = 0x300;");
        if states {
            self.line("    state = STOPPED;");
        }
        self.line("    while (more_requests()) {\n        r->code = next_code();\n        r->length = next_length();\n        r->minor = next_code();");
        if completion {
            self.line("        completed = 0;\n        pended = 0;");
        }
        self.line("        status = dispatch(r);");
        if completion {
            self.line("        if (status == STATUS_PENDING) {\n            if (!pended)\n                misused();\n        } else if (!completed) {\n            misused();\n        }");
        }
        for lock in 0..locks {
            self.line(&format!("        if (lock{lock})\n            misused();"));
        }
        self.line("        device.open_count = status;\n    }\n    return 0;\n}");
    }
}
