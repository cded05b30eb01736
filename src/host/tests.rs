use std::path::Path;

use super::*;
use crate::units::Bytes;

/// A bare-metal machine with every hazard absent.
const QUIET: &[(&str, &str)] = &[
    (
        "/proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Xeon\n\
         stepping\t: 2\nphysical id\t: 0\ncore id\t\t: 0\nflags\t\t: fpu vme\n\nprocessor\t: 1\nphysical id\t: 0\n\
         core id\t\t: 1\n",
    ),
    ("/sys/devices/system/cpu/online", "0-1\n"),
    ("/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "0\n"),
    ("/sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/level", "1\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "0\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index1/level", "1\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index1/type", "Instruction\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index1/size", "32K\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index1/shared_cpu_list", "0\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index3/level", "3\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index3/type", "Unified\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index3/size", "307200K\n"),
    ("/sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "0-1\n"),
    ("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"),
    ("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"),
    ("/sys/class/power_supply/AC/type", "Mains\n"),
    ("/sys/devices/system/cpu/smt/active", "0\n"),
    ("/sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n"),
    ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    ("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n"),
    ("/sys/fs/cgroup/user/cgroup.controllers", "cpu memory\n"),
    ("/sys/fs/cgroup/user/cpu.max", "max 100000\n"),
    ("/sys/fs/cgroup/user/memory.max", "max\n"),
    ("/proc/self/cgroup", "0::/user\n"),
    ("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1\n"),
    ("/proc/self/smaps", "00400000-00401000 r--p\nSize: 4 kB\nKernelPageSize:        4 kB\n"),
    ("/proc/loadavg", "0.10 0.20 0.30 1/100 1234\n"),
    ("/proc/meminfo", "MemTotal: 24684092 kB\nMemAvailable: 23763880 kB\nSwapTotal: 1024 kB\nSwapFree: 1024 kB\n"),
    ("/proc/sys/kernel/osrelease", "6.18.44-fc\n"),
    ("/proc/sys/kernel/randomize_va_space", "0\n"),
    ("/etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
];

/// What differs from [`QUIET`] when everything is wrong, and the hazard that each file shows.
const LOUD: &[(&str, &str, &str)] = &[
    ("frequency-scaling", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n"),
    ("turbo", "/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"),
    ("virtualised", "/sys/hypervisor/type", "xen\n"),
    ("smt", "/sys/devices/system/cpu/smt/active", "1\n"),
    ("few-cpus", "/proc/self/status", "Cpus_allowed_list:\t3\n"),
    ("load", "/proc/loadavg", "1.00 0 0 1/1 1\n"),
    ("cpu-quota", "/sys/fs/cgroup/user/cpu.max", "150000 100000\n"),
    ("memory-limit", "/sys/fs/cgroup/user/memory.max", "536870912\n"),
    ("low-memory", "/proc/meminfo", "MemAvailable: 1048575 kB\nSwapTotal: 10 kB\nSwapFree: 10 kB\n"),
    ("swap", "/proc/meminfo", "MemAvailable: 23763880 kB\nSwapTotal: 10 kB\nSwapFree: 9 kB\n"),
    ("huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n"),
    ("no-pagemap-scan", "/proc/sys/kernel/osrelease", "6.6.9\n"),
    ("mitigations", "/sys/devices/system/cpu/vulnerabilities/mds", "Mitigation: Clear CPU buffers\n"),
];

fn put(root: &Path, file: &str, text: &str) {
    let path = root.join(&file[1..]);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn quiet_machine() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (file, text) in QUIET {
        put(root.path(), file, text);
    }
    root
}

fn present(host: &Host) -> Vec<&str> {
    host.hazards.iter().filter(|hazard| hazard.state == State::Yes).map(|hazard| hazard.name.as_str()).collect()
}

fn hazard<'a>(host: &'a Host, name: &str) -> &'a Hazard {
    host.hazards.iter().find(|hazard| hazard.name == name).unwrap()
}

#[test]
fn a_quiet_machine_has_no_hazard_and_a_full_fingerprint() {
    let root = quiet_machine();
    let host = Host::read(root.path());
    for hazard in &host.hazards {
        assert_eq!((hazard.state, &hazard.quiet), (State::No, &None), "{hazard:?}");
    }
    let fingerprint = &host.fingerprint;
    assert_eq!(fingerprint.os.as_deref(), Some("Debian GNU/Linux 12 (bookworm)"));
    assert_eq!(fingerprint.kernel.as_deref(), Some("6.18.44-fc"));
    assert_eq!(fingerprint.memory, Some(Bytes(24_684_092 * 1024)));
    assert_eq!(fingerprint.page_size, Some(Bytes(4096)));
    assert_eq!(fingerprint.virtualisation.guest, Some(false));
    let cpu = &fingerprint.cpu;
    assert_eq!(cpu.revision.as_deref(), Some("6/207/2"));
    assert_eq!((cpu.logical_cores, cpu.physical_cores), (Some(2), Some(2)));
    let cache = |level, kib: u64, shared_by| Cache { level, size: Bytes(kib * 1024), shared_by };
    assert_eq!(cpu.caches, [cache(1, 48, 1), cache(3, 307_200, 2)]);
    assert_eq!(fingerprint.summary(), "Xeon, 2 logical cores, Linux 6.18.44-fc");
}

#[test]
fn each_hazard_is_found_alone_from_its_own_file() {
    for (name, file, text) in LOUD {
        let root = quiet_machine();
        put(root.path(), file, text);
        assert_eq!(present(&Host::read(root.path())), [*name]);
    }
}

/// Several processes average it out, and a hazard that is none was told all the same.
#[test]
fn addresses_that_differ_are_no_hazard() {
    let root = quiet_machine();
    put(root.path(), "/proc/sys/kernel/randomize_va_space", "2\n");
    let host = Host::read(root.path());
    assert_eq!(present(&host), Vec::<&str>::new());
    assert!(hazard(&host, "aslr").detail.contains("average it out"));
}

#[test]
fn hazards_name_the_command_that_quiets_them() {
    let root = quiet_machine();
    for (_, file, text) in LOUD {
        put(root.path(), file, text);
    }
    let host = Host::read(root.path());
    for (name, command) in [
        ("turbo", "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"),
        ("smt", "echo off | sudo tee /sys/devices/system/cpu/smt/control"),
        ("cpu-quota", "echo max | sudo tee '/sys/fs/cgroup/user/cpu.max'"),
        ("huge-pages", "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"),
    ] {
        assert_eq!(hazard(&host, name).quiet.as_deref(), Some(command));
    }
}

#[test]
fn an_empty_root_is_unknown_throughout() {
    let root = tempfile::tempdir().unwrap();
    let host = Host::read(&root.path().join("missing"));
    assert!(host.hazards.iter().all(|hazard| hazard.state == State::Unknown), "{:?}", host.hazards);
    assert_eq!(host.fingerprint.class(), None);
    assert_eq!(host.fingerprint, Fingerprint { architecture: std::env::consts::ARCH.into(), ..Default::default() });
}

#[test]
fn nonsense_in_any_file_does_not_panic_and_is_not_a_number() {
    for nonsense in ["", "\u{fffd}: :,-9-", "-1", "99999999999999999999999", "9-1", "[", "0::/../x", "1:cpu", "NaN"] {
        let root = tempfile::tempdir().unwrap();
        for (file, _) in QUIET {
            put(root.path(), file, nonsense);
        }
        put(root.path(), "/proc/stat", &format!("cpu {nonsense}"));
        let host = Host::read(root.path());
        assert_eq!(hazard(&host, "low-memory").state, State::Unknown);
        assert_eq!(hazard(&host, "load").state, State::Unknown);
        assert_eq!(CpuTimes::read(root.path()), None);
    }
}

#[test]
fn limits_of_ancestors_and_of_version_1_bind() {
    let root = quiet_machine();
    put(root.path(), "/proc/self/cgroup", "0::/user/a/b\n");
    put(root.path(), "/sys/fs/cgroup/user/a/b/cpu.max", "300000 100000\n");
    put(root.path(), "/sys/fs/cgroup/user/a/cpu.max", "50000 100000\n");
    let host = Host::read(root.path());
    assert_eq!(hazard(&host, "cpu-quota").detail, "limited to 0.50 processors");

    put(root.path(), "/proc/self/cgroup", "4:memory:/job\n1:cpu,cpuacct:/job\n");
    put(root.path(), "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    put(root.path(), "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    put(root.path(), "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
    put(root.path(), "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    let host = Host::read(root.path());
    assert_eq!(hazard(&host, "cpu-quota").state, State::No);
    assert_eq!(hazard(&host, "memory-limit").detail, "limited to 1 GiB");
}

#[test]
fn a_guest_cannot_know_that_no_thread_shares_its_core() {
    let root = quiet_machine();
    put(root.path(), "/sys/class/dmi/id/sys_vendor", "QEMU\n");
    put(root.path(), "/sys/class/dmi/id/product_name", "Standard PC\n");
    let host = Host::read(root.path());
    assert_eq!(hazard(&host, "smt").state, State::Unknown);
    assert_eq!(host.fingerprint.virtualisation.product.as_deref(), Some("QEMU Standard PC"));
}

#[test]
fn the_class_ignores_the_moment_and_sees_the_machine() {
    let class = |changes: &[(&str, &str)]| {
        let root = quiet_machine();
        for (file, text) in changes {
            put(root.path(), file, text);
        }
        Host::read(root.path()).fingerprint.class().unwrap()
    };
    let same = class(&[]);
    assert_eq!(same.len(), 12);
    for (file, text) in [
        ("/proc/loadavg", "9 9 9 1/1 1"),
        ("/proc/sys/kernel/osrelease", "6.18.45"),
        ("/proc/meminfo", "MemTotal: 1 kB"),
        ("/sys/class/dmi/id/sys_vendor", "Amazon EC2"),
        ("/proc/sys/kernel/hostname", "other"),
    ] {
        assert_eq!(class(&[(file, text)]), same, "{file}");
    }
    for (file, text) in [
        ("/proc/sys/kernel/osrelease", "6.19.0"),
        ("/sys/hypervisor/type", "xen"),
        ("/sys/devices/system/cpu/online", "0"),
        ("/sys/devices/system/cpu/cpu0/cache/index3/size", "1024K"),
        ("/proc/self/smaps", "KernelPageSize: 16 kB"),
    ] {
        assert_ne!(class(&[(file, text)]), same, "{file}");
    }
}

#[test]
fn steal_is_the_share_between_two_readings() {
    let root = tempfile::tempdir().unwrap();
    let at = |text: &str| {
        put(root.path(), "/proc/stat", text);
        CpuTimes::read(root.path())
    };
    let before = at("cpu  100 0 0 900 0 0 0 5 0 0\ncpu0 1\n");
    let after = at("cpu  200 0 0 1795 0 0 0 10 0 0\ncpu0 1\n");
    assert_eq!(CpuTimes::steal(before, after).detail, "0.50 % of the processor time went to other guests");
    assert_eq!(CpuTimes::steal(before, after).state, State::Yes);
    assert_eq!(CpuTimes::steal(before, before).state, State::Unknown);
    assert_eq!(CpuTimes::steal(after, before).state, State::Unknown);
    assert_eq!(CpuTimes::steal(None, after).state, State::Unknown);
    let quiet = at("cpu  1100 0 0 1795 0 0 0 5 0 0\n");
    assert_eq!(CpuTimes::steal(before, quiet).state, State::No);
}

#[test]
fn a_fingerprint_survives_its_file() {
    let root = quiet_machine();
    let fingerprint = Host::read(root.path()).fingerprint;
    let text = toml::to_string(&fingerprint).unwrap();
    assert_eq!(toml::from_str::<Fingerprint>(&text).unwrap(), fingerprint);
}

#[test]
fn this_machine_can_be_read() {
    assert_eq!(Host::read(Path::new("/")).hazards.len(), 15);
}
