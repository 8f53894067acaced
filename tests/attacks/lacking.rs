//! `lacking PART PROGRAM ARGS…` runs a program as on a kernel without a part of the sandbox:
//! a seccomp filter refuses its system calls.

#[cfg(target_os = "linux")]
fn main() {
    use std::os::unix::process::CommandExt;

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

    let mut args = std::env::args().skip(1);
    let part = args.next().unwrap_or_default();
    let (calls, error) = match part.as_str() {
        // A kernel without Landlock, and one that did not switch it on.
        "landlock" => (vec![444, 445, 446], libc::ENOSYS),
        "landlock-at-boot" => (vec![444, 445, 446], libc::EOPNOTSUPP),
        "namespaces" => (vec![libc::SYS_unshare], libc::EPERM),
        "mounts" => (vec![libc::SYS_mount], libc::EPERM),
        "seccomp" => (vec![libc::SYS_seccomp], libc::EINVAL),
        _ => panic!("unknown part `{part}`"),
    };
    let rules = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let machine = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let refuse = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
    let error = std::process::Command::new(args.next().unwrap()).args(args).exec();
    panic!("{error}");
}

/// The sandbox is for Linux.
#[cfg(not(target_os = "linux"))]
fn main() {}
