//! How much memory the machine has left for us: a run that takes all of it is ended by the system, and says
//! nothing then.

use std::fs;

/// What is left to others, and to the solver, which goes on for a while: this part of the whole, and at
/// least so many bytes.
const RESERVE: u64 = 12;
const LEAST: u64 = 256 << 20;

/// Whether so little is left that something has to give way. On a system that does not tell, never.
pub fn is_scarce() -> bool {
    is_scarce_within(machine()) || is_scarce_within(group())
}

fn is_scarce_within(whole_and_free: Option<(u64, u64)>) -> bool {
    whole_and_free.is_some_and(|(whole, free)| free < (whole / RESERVE).max(LEAST).min(whole / 2))
}

/// The memory of the machine, and what is available of it, in bytes.
fn machine() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some((line_of(&text, "MemTotal:")? << 10, line_of(&text, "MemAvailable:")? << 10))
}

/// The memory that a container may use, and what is left of that.
fn group() -> Option<(u64, u64)> {
    let of = |limit: &str, used: &str, statistics: &str, cache: &str| {
        let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
        let (limit, used) = (number(limit)?, number(used)?);
        // What files take goes as soon as it is needed.
        let text = fs::read_to_string(statistics).unwrap_or_default();
        let used = used.saturating_sub(line_of(&text, cache).unwrap_or(0));
        Some((limit, limit.saturating_sub(used)))
    };
    let new = "/sys/fs/cgroup/memory";
    let old = "/sys/fs/cgroup/memory/memory";
    let file = |root: &str, name: &str| format!("{root}.{name}");
    of(&file(new, "max"), &file(new, "current"), &file(new, "stat"), "inactive_file").or_else(
        || {
            let names = ["limit_in_bytes", "usage_in_bytes", "stat"].map(|name| file(old, name));
            of(&names[0], &names[1], &names[2], "total_inactive_file")
        },
    )
}

/// The number behind the first word of a line.
fn line_of(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(word))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scarce_is_what_leaves_nothing_to_others() {
        const GB: u64 = 1 << 30;
        assert!(!is_scarce_within(None));
        assert!(!is_scarce_within(Some((16 * GB, 8 * GB))));
        assert!(is_scarce_within(Some((16 * GB, GB))));
        assert!(!is_scarce_within(Some((GB / 2, GB / 3))));
        assert!(is_scarce_within(Some((GB / 2, GB / 5))));
    }

    #[test]
    fn numbers_are_found_by_their_words() {
        let text = "MemTotal:       24114444 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(line_of(text, "MemAvailable:"), Some(20_000_000));
        assert_eq!(line_of(text, "MemFree:"), None);
    }
}
