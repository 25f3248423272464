use std::fs;

/// A number of bytes: `512MiB`, `2GiB`, `1000000`, `1.5G`. K, M, G and T count in 1024, with or
/// without `iB`; `kB`, `MB`, `GB` and `TB` in 1000.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "ki" | "kib" => 1 << 10,
        "m" | "mi" | "mib" => 1 << 20,
        "g" | "gi" | "gib" => 1 << 30,
        "t" | "ti" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(format!("{unit:?} is no unit of bytes: use KiB, MiB or GiB")),
    };
    let bytes = number.parse::<f64>().map_err(|_| format!("{text:?} is no number of bytes"))?;
    Ok((bytes * factor as f64) as u64)
}

/// A quarter of the memory that there is, at most 2 GiB.
pub(crate) fn default_memory() -> u64 {
    const MOST: u64 = 2 << 30;
    let limits = CGROUP_LIMITS.iter().filter_map(|path| fs::read_to_string(path).ok());
    let limits = limits.filter_map(|text| text.trim().parse().ok());
    limits.chain(machine_memory()).min().map_or(MOST, |bytes| (bytes / 4).min(MOST))
}

/// What a container may use, by version 2 and 1 of control groups; those without a limit say `max`, or
/// more than any machine has.
const CGROUP_LIMITS: [&str; 2] =
    ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];

fn machine_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn units() {
        assert_eq!(parse("512MiB"), Ok(512 << 20));
        assert_eq!(parse("1.5g"), Ok(3 << 29));
        assert_eq!(parse("2 GB"), Ok(2_000_000_000));
        assert_eq!(parse("4096"), Ok(4096));
        assert!(parse("MiB").is_err() && parse("5 parsecs").is_err() && parse("-1").is_err());
    }
}
