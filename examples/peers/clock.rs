//! Processor time and memory as Linux tells them.

/// Processor time of this process's main thread, s; all work here is its own.
pub fn own() -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = told.split_whitespace().next();
    nanoseconds
        .and_then(|n| n.parse::<f64>().ok())
        .map_or(f64::NAN, |n| n * 1e-9)
}

/// Processor time of all programs that this one has started and that have ended, user and system, s; told in
/// hundredths.
pub fn children() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = told.rsplit(") ").next().unwrap_or_default();
    let ticks = |n: usize| after.split(' ').nth(n)?.parse::<f64>().ok();
    ticks(13)
        .zip(ticks(14))
        .map_or(f64::NAN, |(user, system)| (user + system) / 100.0)
}

/// The most memory that this process has had, bytes.
pub fn peak() -> f64 {
    let told = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = told.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.map_or(f64::NAN, |k| k * 1024.0)
}
