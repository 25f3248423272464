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

/// A quarter of the machine's memory, at most 2 GiB.
pub(crate) fn default_memory() -> u64 {
    const MOST: u64 = 2 << 30;
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_ascii_whitespace().nth(1)?.parse::<u64>().ok()
    });
    total.map_or(MOST, |kib| (kib * 1024 / 4).min(MOST))
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
