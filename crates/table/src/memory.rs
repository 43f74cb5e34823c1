//! How much memory this process may take, asked before work and between its parts, so that work that does not fit is refused with a sentence instead of being
//! killed by the system.
//!
//! The limit is what was set for the process ([`set_limit`]), or nine tenths of what the machine, or the control group of the process, has left. Where the system does
//! not say what it has left, nothing is refused.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::TableError;

/// Bytes that were set as the limit of the process; none if zero.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// Sets how many bytes the process may take in all.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes.max(1), Ordering::Relaxed);
}

/// The limit that was set.
pub fn limit() -> Option<u64> {
    Some(LIMIT.load(Ordering::Relaxed)).filter(|bytes| *bytes > 0)
}

/// Bytes that may be taken beside what the process has taken already; `None` where the system does not say.
pub fn room() -> Option<u64> {
    let free = left().map(|left| left / 10 * 9);
    match limit() {
        None => free,
        Some(limit) => {
            let within = limit.saturating_sub(resident().unwrap_or(0));
            Some(free.map_or(within, |free| free.min(within)))
        }
    }
}

/// Refuses work that would take about this many bytes more than there are.
pub fn require(bytes: u64, what: &str) -> Result<(), TableError> {
    match room() {
        Some(room) if bytes > room => {
            Err(TableError::Memory { what: what.to_owned(), needed: in_words(bytes), room: in_words(room) })
        }
        _ => Ok(()),
    }
}

/// Refuses to go on with work that has come to its limit, or has left the machine next to nothing.
pub fn check(what: &str) -> Result<(), TableError> {
    let beyond_limit = limit().zip(resident()).is_some_and(|(limit, resident)| resident > limit);
    let machine_is_full = left().zip(total()).is_some_and(|(left, total)| left < total / 40);
    if !beyond_limit && !machine_is_full {
        return Ok(());
    }
    let needed = format!("more than {}", in_words(resident().unwrap_or(0)));
    Err(TableError::Memory { what: what.to_owned(), needed, room: in_words(room().unwrap_or(0)) })
}

/// A number of bytes as people say it.
pub fn in_words(bytes: u64) -> String {
    let units = [(1_u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / size as f64),
        None => format!("{} KiB", bytes.div_ceil(1 << 10)),
    }
}

/// The figure of a line such as `MemAvailable:  123 kB`, in bytes.
#[cfg(target_os = "linux")]
fn figure(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// What the control group of this process has left, if it has a limit.
#[cfg(target_os = "linux")]
fn left_in_group() -> Option<u64> {
    let number = |path: String| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let of = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let group = of.lines().find_map(|line| line.strip_prefix("0::"))?.trim_end_matches('/');
    let folder = format!("/sys/fs/cgroup{group}");
    let most = number(format!("{folder}/memory.max"))?;
    // What is only cached is given back when it is needed.
    let cached = figure_in_bytes(&format!("{folder}/memory.stat"), "inactive_file ").unwrap_or(0);
    Some(most.saturating_sub(number(format!("{folder}/memory.current"))?.saturating_sub(cached)))
}

#[cfg(target_os = "linux")]
fn figure_in_bytes(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok()
}

#[cfg(target_os = "linux")]
fn left() -> Option<u64> {
    let machine = figure("/proc/meminfo", "MemAvailable:")?;
    Some(left_in_group().map_or(machine, |group| group.min(machine)))
}

#[cfg(target_os = "linux")]
fn total() -> Option<u64> {
    figure("/proc/meminfo", "MemTotal:")
}

#[cfg(target_os = "linux")]
fn resident() -> Option<u64> {
    figure("/proc/self/status", "VmRSS:")
}

#[cfg(not(target_os = "linux"))]
fn left() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn total() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn resident() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_as_people_say_them() {
        assert_eq!(in_words(3 << 30), "3.0 GiB");
        assert_eq!(in_words(1), "1 KiB");
        assert_eq!(in_words(1_500_000), "1.4 MiB");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_machine_says_what_it_has() {
        let room = room().unwrap();
        assert!(room > 1 << 20 && room < total().unwrap(), "{room}");
        assert!(require(1 << 10, "a little").is_ok());
        let refused = require(u64::MAX, "everything").unwrap_err().to_string();
        assert!(refused.contains("everything") && refused.contains("--memory"), "{refused}");
        assert!(check("nothing").is_ok());
    }
}
