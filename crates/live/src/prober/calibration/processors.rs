//! CPU usage from `/proc/stat` (proc(5)).

/// CPU time in ticks, summed over all CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of logical CPUs of this host.
    pub processors: u64,
    idle: u64,
    stolen: u64,
    all: u64,
}

impl Usage {
    /// Usage since boot; zeros if `/proc/stat` cannot be read.
    pub fn since_boot() -> Usage {
        std::fs::read_to_string("/proc/stat").map(|text| Usage::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Usage {
        let mut usage = Usage::default();
        for line in text.lines() {
            let mut fields = line.split_ascii_whitespace();
            if !fields.next().is_some_and(|name| name.len() > 3 && name.starts_with("cpu")) {
                continue;
            }
            // user nice system idle iowait irq softirq steal; guest time is part of user time
            let ticks: Vec<u64> = fields.take(8).filter_map(|field| field.parse().ok()).collect();
            let at = |index: usize| ticks.get(index).copied().unwrap_or(0);
            usage.processors += 1;
            usage.idle += at(3) + at(4);
            usage.stolen += at(7);
            usage.all += ticks.iter().sum::<u64>();
        }
        usage
    }

    /// Usage since an earlier reading.
    pub fn since(&self, earlier: &Usage) -> Usage {
        Usage {
            processors: self.processors,
            idle: self.idle.saturating_sub(earlier.idle),
            stolen: self.stolen.saturating_sub(earlier.stolen),
            all: self.all.saturating_sub(earlier.all),
        }
    }

    /// Idle time, in CPUs.
    pub fn free(&self) -> f64 {
        self.share(self.idle) * self.processors as f64
    }

    /// Share of time stolen by the hypervisor.
    pub fn stolen(&self) -> f64 {
        self.share(self.stolen)
    }

    fn share(&self, ticks: u64) -> f64 {
        if self.all == 0 { 0.0 } else { ticks as f64 / self.all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_counted_in_cpus() {
        let before = Usage::parse("cpu  9 9 9 9\ncpu0 10 0 0 100 0 0 0 0 0 0\ncpu1 10 0 0 100 0 0 0 0 0 0\nintr 5\n");
        let after = Usage::parse("cpu0 60 0 0 140 0 0 0 10 0 0\ncpu1 10 0 0 190 10 0 0 0 0 0\n");
        let between = after.since(&before);
        assert_eq!(between.processors, 2);
        assert!((between.free() - 1.4).abs() < 1e-9 && (between.stolen() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn without_proc_stat_no_cpu_counts_as_free() {
        assert_eq!(Usage::parse("").free(), 0.0);
    }
}
