//! Seccomp: the system calls that an engine may not use.
//!
//! A list of refused calls, not of allowed ones: on top of Landlock it is enough, and it
//! keeps programs of all languages running. A refused call fails with `EPERM`. A call for
//! which every runtime has a substitute fails with `ENOSYS`, as on an old kernel. Calls of
//! another architecture, such as 32-bit ones, end the process with `SIGSYS`.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::{Refusal, SandboxLevel};

/// Refused with `EPERM`, whatever their arguments.
const REFUSED: &[c_long] = &[
    // Network, and sockets of any kind.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Other processes: tracing, memory, descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_ioprio_set,
    // Namespaces, mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // Keys, and System V and POSIX objects, which outlive a process.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Watching files that cannot be read.
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // The kernel and the machine.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
];

/// Refused with `EPERM`, calls that other architectures lack.
#[cfg(target_arch = "x86_64")]
const OF_THIS_MACHINE: &[c_long] = &[
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_kexec_file_load,
    libc::SYS_uselib,
    libc::SYS_ustat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_THIS_MACHINE: &[c_long] = &[];

/// Changes of the modes, owners, times and attributes of files, which Landlock does not
/// restrict. Refused with `EPERM`, except in a root folder of one's own.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// `fchmodat2`; the same number on all architectures.
const FCHMODAT2: c_long = 452;

/// Those of them that other architectures lack.
#[cfg(target_arch = "x86_64")]
const OLD_ATTRIBUTES: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_ATTRIBUTES: &[c_long] = &[];

/// Refused with `ENOSYS`: a filter cannot see their arguments, or their memory is not
/// counted.
const ABSENT: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_memfd_create,
    MEMFD_SECRET,
];

/// `memfd_secret`; the same number on all architectures.
const MEMFD_SECRET: c_long = 447;

/// Calls that are refused with `EPERM` for some arguments: the index of the argument, and its
/// comparison with a value. Several lines for a call are alternatives.
const CONDITIONAL: &[(c_long, u8, SeccompCmpOp, u64)] = &[
    // A datagram socket could send to any address.
    (libc::SYS_socketpair, 0, Ne, libc::AF_UNIX as u64),
    (
        libc::SYS_socketpair,
        1,
        MaskedEq(SOCKET_TYPE),
        libc::SOCK_DGRAM as u64,
    ),
    (
        libc::SYS_socketpair,
        1,
        MaskedEq(SOCKET_TYPE),
        libc::SOCK_RAW as u64,
    ),
    // Limits, priorities and cores of others.
    (libc::SYS_prlimit64, 0, Ne, 0),
    (libc::SYS_setpriority, 1, Ne, 0),
    (libc::SYS_setpriority, 0, Eq, libc::PRIO_USER as u64),
    (libc::SYS_sched_setaffinity, 0, Ne, 0),
    (libc::SYS_sched_setscheduler, 0, Ne, 0),
    (libc::SYS_sched_setparam, 0, Ne, 0),
    (libc::SYS_sched_setattr, 0, Ne, 0),
    // Typing into a terminal.
    (libc::SYS_ioctl, 1, Eq, TIOCSTI),
    (libc::SYS_ioctl, 1, Eq, TIOCLINUX),
    // The supervisor reads which deleted files a process holds.
    (libc::SYS_prctl, 0, Eq, libc::PR_SET_DUMPABLE as u64),
];

/// Flags of `clone` with which it is refused: new namespaces.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The bits of a socket's type without its flags.
const SOCKET_TYPE: u64 = 0xf;

/// Puts characters into the input of a terminal.
const TIOCSTI: u64 = 0x5412;

/// Selection and paste on a Linux console.
const TIOCLINUX: u64 = 0x541c;

/// Calls of the x32 interface have numbers from this one. They are refused.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;

/// Refuses these calls for this process and all that it starts.
pub fn restrict(level: SandboxLevel) -> Result<(), Refusal> {
    let conditional = conditional().map_err(|error| {
        Refusal(format!(
            "the sandbox has no seccomp filter for this machine: {error}"
        ))
    })?;
    for filter in [conditional, unconditional(level)] {
        seccompiler::apply_filter(&filter).map_err(|error| {
            Refusal::lacks(
                &format!("seccomp filters ({error})"),
                "use a kernel with CONFIG_SECCOMP_FILTER, or play without --sandbox",
            )
        })?;
    }
    Ok(())
}

/// The filter of [`CONDITIONAL`] calls. It also ends processes that make calls of another
/// architecture.
fn conditional() -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let namespaces = NAMESPACES.map(|flag| (libc::SYS_clone, 0, MaskedEq(flag as u64), flag as u64));
    for (call, index, comparison, value) in CONDITIONAL.iter().cloned().chain(namespaces) {
        let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, comparison, value)?;
        let rule = SeccompRule::new(vec![condition])?;
        rules.entry(call).or_default().push(rule);
    }
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine)?.try_into()
}

/// The filter of the calls that are refused whatever their arguments: one comparison each. The
/// kernel runs a new filter once for each call that exists, which is most of what the sandbox
/// costs at a start. So this filter is a fifth as long as that of the crate.
fn unconditional(level: SandboxLevel) -> BpfProgram {
    let attributes: [&[c_long]; 2] = match level {
        SandboxLevel::Strict => [&[], &[]],
        _ => [ATTRIBUTES, OLD_ATTRIBUTES],
    };
    let refused = [REFUSED, OF_THIS_MACHINE].into_iter().chain(attributes).flatten();
    let refused: Vec<u32> = refused.map(|call| *call as u32).collect();
    let absent: Vec<u32> = ABSENT.iter().map(|call| *call as u32).collect();
    // The number of the call is the first word of `seccomp_data`.
    let mut program = vec![instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)];
    #[cfg(target_arch = "x86_64")]
    program.extend(return_if(libc::BPF_JGE, &[X32], libc::EPERM));
    program.extend(return_if(libc::BPF_JEQ, &refused, libc::EPERM));
    program.extend(return_if(libc::BPF_JEQ, &absent, libc::ENOSYS));
    program.push(instruction(libc::BPF_RET, 0, libc::SECCOMP_RET_ALLOW));
    program
}

/// Instructions that end the filter with this error if the loaded number compares to one of
/// these, at most 254.
fn return_if(comparison: u32, numbers: &[u32], error: i32) -> impl Iterator<Item = sock_filter> {
    let count = numbers.len();
    let comparisons = numbers.iter().enumerate().map(move |(place, number)| {
        let to_return = (count - place) as u8;
        instruction(libc::BPF_JMP | comparison, to_return, *number)
    });
    let skip = instruction(libc::BPF_JMP | libc::BPF_JA, 0, 1);
    let action = libc::SECCOMP_RET_ERRNO | error as u32;
    comparisons.chain([skip, instruction(libc::BPF_RET, 0, action)])
}

/// An instruction; a comparison that holds jumps over `jump` instructions.
const fn instruction(code: u32, jump: u8, value: u32) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt: jump,
        jf: 0,
        k: value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The action of a filter of comparisons for a call.
    fn action(program: &BpfProgram, call: u32) -> u32 {
        let mut at = 1;
        loop {
            let sock_filter { code, jt, k, .. } = program[at];
            let code = u32::from(code);
            let jumps = match code & !libc::BPF_JMP {
                libc::BPF_JA => k as usize,
                libc::BPF_JEQ if call == k => jt.into(),
                libc::BPF_JGE if call >= k => jt.into(),
                libc::BPF_JEQ | libc::BPF_JGE => 0,
                _ => {
                    assert_eq!(code, libc::BPF_RET);
                    return k;
                }
            };
            at += 1 + jumps;
        }
    }

    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

    #[test]
    fn listed_calls_are_refused_and_no_others() {
        for level in [SandboxLevel::On, SandboxLevel::Strict] {
            let program = unconditional(level);
            assert!(program.len() < 200, "{}", program.len());
            for call in 0..1000 {
                let number = c_long::from(call);
                let is_listed = [REFUSED, OF_THIS_MACHINE].concat().contains(&number);
                let is_attribute = [ATTRIBUTES, OLD_ATTRIBUTES].concat().contains(&number);
                let expected = if is_listed || is_attribute && level == SandboxLevel::On {
                    REFUSE
                } else if ABSENT.contains(&number) {
                    libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32
                } else {
                    libc::SECCOMP_RET_ALLOW
                };
                assert_eq!(action(&program, call as u32), expected, "call {call} at {level}");
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn calls_of_x32_are_refused() {
        let program = unconditional(SandboxLevel::Strict);
        for call in [0, 1, libc::SYS_socket as u32, 512, 547] {
            assert_eq!(action(&program, X32 | call), REFUSE);
        }
        assert_eq!(action(&program, u32::MAX), REFUSE);
    }

    #[test]
    fn conditional_filter_fits_the_kernel() {
        /// Most instructions of a filter (`BPF_MAXINSNS`).
        const MAX_INSTRUCTIONS: usize = 4096;
        let filter = conditional().unwrap();
        assert!((10..MAX_INSTRUCTIONS).contains(&filter.len()), "{}", filter.len());
    }
}
