//! Which system calls an engine may make, and what the others answer.
//!
//! `docs/notes/sandbox.md` has a table of all calls with what each could do to others. A test compares it
//! with the filter that is made of these lists, so a change here needs one there.

use libc::{c_int, c_long};

/// Allowed, whatever their arguments: they reach the engine's own processes, what Landlock lets it open, and
/// facts about the machine.
pub(crate) const ALLOWED: &[c_long] = &[
    // Files.
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_copy_file_range,
    libc::SYS_lseek,
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_unlinkat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_umask,
    // Waiting.
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_signalfd4,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_timerfd_gettime,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_msync,
    // Processes and threads. Landlock confines signals.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_futex,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_setpgid,
    libc::SYS_getsid,
    libc::SYS_setsid,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Pairs of sockets.
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_getsockopt,
    // Time.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete,
    // Itself, and facts about the machine.
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getresuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_capget,
    libc::SYS_getrlimit,
    libc::SYS_setrlimit,
    libc::SYS_getrusage,
    libc::SYS_getpriority,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getattr,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_times,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getcpu,
    libc::SYS_getrandom,
];

/// Allowed calls that newer architectures lack.
#[cfg(target_arch = "x86_64")]
pub(crate) const OLD: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_mknod,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_signalfd,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_getpgrp,
    libc::SYS_pause,
    libc::SYS_alarm,
    libc::SYS_time,
    libc::SYS_arch_prctl,
];
#[cfg(target_arch = "aarch64")]
pub(crate) const OLD: &[c_long] = &[libc::SYS_renameat];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) const OLD: &[c_long] = &[];

/// Changes of the modes, owners and times of files, which Landlock does not restrict. Allowed only in a
/// separate root folder, where all files of others are read-only.
pub(crate) const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
];

/// `fchmodat2`; the same number on all architectures.
const FCHMODAT2: c_long = 452;

/// Those of them that newer architectures lack.
#[cfg(target_arch = "x86_64")]
pub(crate) const OLD_ATTRIBUTES: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const OLD_ATTRIBUTES: &[c_long] = &[];

/// The first call that these lists do not know by name, apart from [`FCHMODAT2`]. Such calls answer `ENOSYS`:
/// a newer kernel does not open anything.
pub(crate) const FIRST_UNKNOWN: c_long = 451;

/// What is needed of an argument: masked, its low 32 bits are one of the values. Otherwise the call fails with
/// this error; 0 is no error.
pub(crate) struct Requirement {
    pub argument: u32,
    pub mask: u32,
    pub values: &'static [u32],
    pub error: c_int,
}

/// All 32 bits.
const ALL: u32 = u32::MAX;

/// A requirement without which a call fails with `EPERM`.
const fn need(argument: u32, mask: u32, values: &'static [u32]) -> Requirement {
    need_or(libc::EPERM, argument, mask, values)
}

/// A requirement without which a call fails with this error.
const fn need_or(error: c_int, argument: u32, mask: u32, values: &'static [u32]) -> Requirement {
    Requirement {
        argument,
        mask,
        values,
        error,
    }
}

/// Allowed if their arguments meet all requirements.
pub(crate) const CHECKED: &[(c_long, &[Requirement])] = &[
    (
        libc::SYS_clone,
        &[
            need(0, NAMESPACES, &[0]),
            // The supervisor looks at the descriptors of one thread, and finds locks by their process.
            need(0, THREAD | FILES, &[0, THREAD | FILES]),
        ],
    ),
    (
        libc::SYS_close_range,
        &[need_or(libc::EINVAL, 2, libc::CLOSE_RANGE_UNSHARE, &[0])],
    ),
    // Nobody answers `F_GETLK`, so a program takes it that somebody has a lock. SQLite goes on.
    (
        libc::SYS_fcntl,
        &[need(1, ALL, FCNTL), need_or(0, 1, ALL, FCNTL.split_at(1).1)],
    ),
    (libc::SYS_ioctl, &[need_or(libc::ENOTTY, 1, ALL, IOCTL)]),
    (libc::SYS_madvise, &[need_or(libc::EINVAL, 2, ALL, MADVISE)]),
    (libc::SYS_membarrier, &[need_or(libc::EINVAL, 0, ALL, MEMBARRIER)]),
    (libc::SYS_mmap, &[need(3, MAP_KIND, MAPS)]),
    (libc::SYS_prctl, &[need(0, ALL, PRCTL)]),
    // Limits of others.
    (libc::SYS_prlimit64, &[need(0, ALL, &[0])]),
    // A datagram socket could send to any address.
    (
        libc::SYS_socketpair,
        &[
            need(0, ALL, &[libc::AF_UNIX as u32]),
            need(
                1,
                SOCKET_TYPE,
                &[libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32],
            ),
        ],
    ),
];

/// Allowed only in a separate network, which has no other end.
pub const NETWORK: &[c_long] = &[
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
];

/// The same, with requirements. UNIX sockets are not made: one in a folder that the engine may read can belong to a
/// program outside. Buffers keep their sizes, which the supervisor counts; most programs need no more than options do.
pub(crate) const NETWORK_CHECKED: &[(c_long, &[Requirement])] = &[
    (
        libc::SYS_socket,
        &[
            need(0, ALL, &[libc::AF_INET as u32, libc::AF_INET6 as u32]),
            need(
                1,
                SOCKET_TYPE,
                &[libc::SOCK_STREAM as u32, libc::SOCK_DGRAM as u32],
            ),
            need(2, ALL, &[0, libc::IPPROTO_TCP as u32, libc::IPPROTO_UDP as u32]),
        ],
    ),
    (libc::SYS_setsockopt, &[need_or(0, 2, ALL, SOCKET_OPTIONS)]),
];

/// Options of sockets that take effect: `TCP_NODELAY`, `SO_REUSEADDR`, `SO_KEEPALIVE`, `TCP_QUICKACK`, `SO_LINGER`,
/// `SO_REUSEPORT`, and the time limits. Some numbers mean something else at another level, and nothing that matters.
const SOCKET_OPTIONS: &[u32] = &[1, 2, 9, 12, 13, 15, 20, 21, 66, 67];

const THREAD: u32 = libc::CLONE_THREAD as u32;

/// A shared table of descriptors.
const FILES: u32 = libc::CLONE_FILES as u32;

/// Flags of `clone` that make namespaces.
const NAMESPACES: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

/// The bits of a socket's type without its flags.
const SOCKET_TYPE: u32 = 0xf;

/// Commands of `fcntl`; the first one does nothing. Leases, locks of an open file, notices and sizes of pipes
/// reach other processes. With `F_GETLK`, bots could tell each other something about a file that they may only
/// read. `F_SETLK`, which databases need, tells nothing there.
const FCNTL: &[u32] = &[
    libc::F_GETLK as u32,
    libc::F_DUPFD as u32,
    libc::F_DUPFD_CLOEXEC as u32,
    libc::F_GETFD as u32,
    libc::F_SETFD as u32,
    libc::F_GETFL as u32,
    libc::F_SETFL as u32,
    libc::F_SETLK as u32,
    libc::F_SETLKW as u32,
    libc::F_GETPIPE_SZ as u32,
];

/// Requests of `ioctl`: those of terminals, pipes and descriptors. Others change attributes of files that are
/// only readable, or type into a terminal.
const IOCTL: &[u32] = &[
    libc::FIOCLEX as u32,
    libc::FIONCLEX as u32,
    libc::FIONBIO as u32,
    libc::FIONREAD as u32,
    libc::TCGETS as u32,
    libc::TCSETS as u32,
    libc::TCSETSW as u32,
    libc::TCSETSF as u32,
    libc::TCGETS2 as u32,
    libc::TCSETS2 as u32,
    libc::TCSETSW2 as u32,
    libc::TCSETSF2 as u32,
    libc::TCSBRK as u32,
    libc::TCSBRKP as u32,
    libc::TCXONC as u32,
    libc::TCFLSH as u32,
    libc::TIOCGWINSZ as u32,
    libc::TIOCSWINSZ as u32,
    libc::TIOCGPGRP as u32,
    libc::TIOCSPGRP as u32,
    libc::TIOCGSID as u32,
    libc::TIOCOUTQ as u32,
];

/// Advice on memory. Other advice writes pages out, merges them with those of other processes, or fills caches.
const MADVISE: &[u32] = &[
    libc::MADV_NORMAL as u32,
    libc::MADV_RANDOM as u32,
    libc::MADV_SEQUENTIAL as u32,
    libc::MADV_WILLNEED as u32,
    libc::MADV_DONTNEED as u32,
    libc::MADV_FREE as u32,
    libc::MADV_DONTFORK as u32,
    libc::MADV_DOFORK as u32,
    libc::MADV_HUGEPAGE as u32,
    libc::MADV_NOHUGEPAGE as u32,
    libc::MADV_DONTDUMP as u32,
    libc::MADV_DODUMP as u32,
    libc::MADV_WIPEONFORK as u32,
    libc::MADV_KEEPONFORK as u32,
    libc::MADV_POPULATE_READ as u32,
    libc::MADV_POPULATE_WRITE as u32,
    MADV_GUARD_INSTALL,
    MADV_GUARD_REMOVE,
];

/// Guard pages of stacks, from Linux 6.13 and glibc 2.42 on.
const MADV_GUARD_INSTALL: u32 = 102;
const MADV_GUARD_REMOVE: u32 = 103;

/// Barriers among a process's own threads. The global ones interrupt all cores.
const MEMBARRIER: &[u32] = &[
    libc::MEMBARRIER_CMD_QUERY as u32,
    libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED as u32,
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED as u32,
    libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE as u32,
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE as u32,
];

/// The flags of `mmap` that say what is mapped.
const MAP_KIND: u32 = (libc::MAP_TYPE | libc::MAP_ANONYMOUS | libc::MAP_HUGETLB) as u32;

/// What may be mapped. Shared memory without a file stays when its pages leave the address space, where nobody
/// can count them. Huge pages of `MAP_HUGETLB` are few, and no resident memory.
const MAPS: &[u32] = &[
    libc::MAP_PRIVATE as u32,
    libc::MAP_SHARED as u32,
    libc::MAP_SHARED_VALIDATE as u32,
    (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u32,
    (libc::MAP_DROPPABLE | libc::MAP_ANONYMOUS) as u32,
];

/// Options of `prctl`. Not `PR_SET_DUMPABLE`, because the supervisor reads which files a process holds.
const PRCTL: &[u32] = &[
    libc::PR_SET_NAME as u32,
    libc::PR_GET_NAME as u32,
    libc::PR_SET_PDEATHSIG as u32,
    libc::PR_GET_PDEATHSIG as u32,
    libc::PR_SET_CHILD_SUBREAPER as u32,
    libc::PR_GET_CHILD_SUBREAPER as u32,
    libc::PR_SET_NO_NEW_PRIVS as u32,
    libc::PR_GET_NO_NEW_PRIVS as u32,
    libc::PR_SET_THP_DISABLE as u32,
    libc::PR_GET_THP_DISABLE as u32,
    libc::PR_GET_DUMPABLE as u32,
    libc::PR_CAPBSET_READ as u32,
    PR_SET_VMA,
    PR_SVE_SET_VL,
    PR_SVE_GET_VL,
];

/// Gives a memory area a name.
const PR_SET_VMA: u32 = 0x5356_4d41;

/// Vector lengths of ARM, for Java.
const PR_SVE_SET_VL: u32 = 50;
const PR_SVE_GET_VL: u32 = 51;

/// Calls that answer otherwise than with `EPERM`, because programs have a substitute for this error. `0` is no
/// error: the call does nothing.
pub(crate) const SUBSTITUTED: &[(c_int, &[c_long])] = &[
    (
        libc::ENOSYS,
        &[
            // A filter cannot see their arguments.
            libc::SYS_clone3,
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_io_uring_register,
            // Their memory is not counted.
            libc::SYS_memfd_create,
            libc::SYS_memfd_secret,
            libc::SYS_splice,
            libc::SYS_tee,
            libc::SYS_vmsplice,
            // Which files are in memory, and putting them out of it.
            libc::SYS_mincore,
            libc::SYS_preadv2,
            libc::SYS_pwritev2,
            libc::SYS_fadvise64,
            libc::SYS_readahead,
            libc::SYS_sync_file_range,
            // A limit that the whole machine shares.
            libc::SYS_io_setup,
            libc::SYS_io_destroy,
            libc::SYS_io_getevents,
            libc::SYS_io_submit,
            libc::SYS_io_cancel,
            // What older kernels, or those without an option, lack.
            libc::SYS_get_mempolicy,
            libc::SYS_set_mempolicy,
            libc::SYS_set_mempolicy_home_node,
            libc::SYS_mbind,
            libc::SYS_pkey_alloc,
            libc::SYS_pkey_free,
            libc::SYS_pkey_mprotect,
            libc::SYS_remap_file_pages,
            libc::SYS_futex_waitv,
            libc::SYS_seccomp,
            libc::SYS_landlock_create_ruleset,
            libc::SYS_landlock_add_rule,
            libc::SYS_landlock_restrict_self,
        ],
    ),
    (
        libc::EOPNOTSUPP,
        &[
            // As on a file system without extended attributes. Landlock does not hide those of other files.
            libc::SYS_getxattr,
            libc::SYS_lgetxattr,
            libc::SYS_fgetxattr,
            libc::SYS_listxattr,
            libc::SYS_llistxattr,
            libc::SYS_flistxattr,
            libc::SYS_setxattr,
            libc::SYS_lsetxattr,
            libc::SYS_fsetxattr,
            libc::SYS_removexattr,
            libc::SYS_lremovexattr,
            libc::SYS_fremovexattr,
            // It could fill a disk between two looks of the supervisor.
            libc::SYS_fallocate,
        ],
    ),
    // Into a pipe it would keep memory that nobody counts.
    (libc::EINVAL, &[libc::SYS_sendfile]),
    // OpenMP of LLVM ends the program if it fails.
    (0, &[libc::SYS_sched_setaffinity]),
];
