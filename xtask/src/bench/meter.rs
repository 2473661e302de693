//! What the kernel says of a process and of a socket: memory, processor time, datagrams that it dropped.

use std::fs;

use crate::process::Outcome;

/// What `/proc` counts processor time in. The kernel has another unit inside, but to programs it is this
/// one on every system that we build for.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processor time that a process has used, in seconds; of one that has ended and was not waited for, too.
pub(crate) fn cpu_seconds(process: u32) -> Outcome<f64> {
    read(&format!("/proc/{process}/stat"), ticks).map(in_seconds)
}

/// The memory that a process uses, in bytes.
pub(crate) fn memory(process: u32) -> Outcome<u64> {
    read(&format!("/proc/{process}/status"), resident)
}

/// Processor time that the whole machine has used, in seconds.
pub(crate) fn machine_cpu_seconds() -> Outcome<f64> {
    read("/proc/stat", busy).map(in_seconds)
}

fn read(path: &str, find: fn(&str) -> Option<u64>) -> Outcome<u64> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
    find(&text).ok_or_else(|| format!("{path} says what we cannot read"))
}

fn in_seconds(ticks: u64) -> f64 {
    ticks as f64 / TICKS_PER_SECOND
}

/// How many datagrams the kernel dropped because the socket of this port was full, since it was opened.
pub(crate) fn dropped(port: u16) -> u64 {
    let lists = ["/proc/net/udp", "/proc/net/udp6"];
    let texts = lists.map(|list| fs::read_to_string(list).unwrap_or_default());
    texts.iter().map(|text| dropped_in(text, port)).sum()
}

/// How many files and sockets a process has open.
pub(crate) fn open_files(process: u32) -> Outcome<u64> {
    let path = format!("/proc/{process}/fd");
    let files = fs::read_dir(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    Ok(files.count() as u64)
}

/// How many closed TCP connections of the whole machine still keep their ports, so that nothing late can
/// be taken for a part of a new one.
pub(crate) fn time_wait() -> u64 {
    let text = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    time_wait_in(&text).unwrap_or(0)
}

/// `TCP: inuse 5 orphan 0 tw 7 alloc 9 mem 3`.
fn time_wait_in(sockets: &str) -> Option<u64> {
    let line = sockets.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != "tw");
    words.nth(1)?.parse().ok()
}

/// Finds `VmRSS:  1234 kB`.
fn resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

/// All time of all processors but the idle one: the fourth and fifth field of the first line.
fn busy(stat: &str) -> Option<u64> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?;
    let fields: Vec<u64> = fields
        .split_whitespace()
        .map_while(|field| field.parse().ok())
        .collect();
    // What guests use, from the ninth on, is in the first two already.
    let idle = fields.get(3)? + fields.get(4)?;
    Some(fields.iter().take(8).sum::<u64>() - idle)
}

/// User and system time: the 14th and 15th field, counted behind the name, which may hold anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    let mut fields = behind.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// `sl: local_address:port ... drops`, with the port in hexadecimal.
fn dropped_in(list: &str, port: u16) -> u64 {
    let mine = format!(":{port:04X}");
    let lines = list.lines().map(|line| line.split_whitespace());
    lines
        .filter_map(|mut fields| {
            let at = fields.nth(1)?;
            let drops = fields.last()?;
            at.ends_with(&mine).then(|| drops.parse::<u64>().ok())?
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_reads_its_own_meters() {
        let own = std::process::id();
        assert!(memory(own).unwrap() > 100_000);
        // However many others want the processor, what we use of it is counted sooner or later.
        let before = cpu_seconds(own).unwrap();
        while cpu_seconds(own).unwrap() < before + 0.03 {}
        assert!(cpu_seconds(0).unwrap_err().contains("/proc/0/stat"));
    }

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 30 12 0 0";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("7 (a"), None);
    }

    #[test]
    fn a_machine_is_busy_when_it_is_not_idle() {
        let stat = "cpu  10 1 5 1000 50 2 3 4 9 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n";
        assert_eq!(busy(stat), Some(10 + 1 + 5 + 2 + 3 + 4));
        assert_eq!(busy("intr 1 2"), None);
        assert!(machine_cpu_seconds().unwrap() > 0.0);
    }

    #[test]
    fn closed_connections_that_wait_are_found_among_the_others() {
        let text =
            "sockets: used 9\nTCP: inuse 5 orphan 1 tw 27 alloc 9 mem 3\nUDP: inuse 2 mem 1\n";
        assert_eq!(time_wait_in(text), Some(27));
        assert_eq!(time_wait_in("sockets: used 9\n"), None);
        assert!(open_files(std::process::id()).unwrap() > 0);
    }

    #[test]
    fn drops_are_those_of_the_port() {
        let list = "  sl  local_address rem_address   st tx_queue rx_queue drops\n\
                    1: 0100007F:1092 00000000:0000 07 00000000:00000000 0 12\n\
                    2: 0100007F:1093 00000000:0000 07 00000000:00000000 0 99\n";
        assert_eq!(dropped_in(list, 0x1092), 12);
    }
}
