//! Seccomp: the filter of an engine's system calls.
//!
//! A call that is not in the lists of [`calls`] fails with `EPERM`, and one that is newer than they are with
//! `ENOSYS`, as on an older kernel. Calls of another architecture, such as 32-bit ones, end the process with
//! `SIGSYS`.

use seccompiler::{BpfProgram, sock_filter};

use super::calls::{self, Requirement};
use super::{Refusal, SandboxLevel};

/// Filters the calls of this process and all that it starts.
pub(crate) fn restrict(level: SandboxLevel) -> Result<(), Refusal> {
    let Some(machine) = machine() else {
        let machine = std::env::consts::ARCH;
        return Err(Refusal(format!(
            "the sandbox has no seccomp filter for {machine}"
        )));
    };
    seccompiler::apply_filter(&filter(machine, level)).map_err(|error| {
        Refusal::lacks(
            &format!("seccomp filters ({error})"),
            "use a kernel with CONFIG_SECCOMP_FILTER, or play without --sandbox",
        )
    })
}

/// The kernel's number of this architecture (`AUDIT_ARCH_…`).
fn machine() -> Option<u32> {
    match std::env::consts::ARCH {
        "x86_64" => Some(0xC000_003E),
        "aarch64" => Some(0xC000_00B7),
        "riscv64" => Some(0xC000_00F3),
        _ => None,
    }
}

/// What the filter does with a call.
#[derive(Clone, Copy)]
enum Answer {
    Allow,
    /// Fails with this error; 0 is no error.
    Error(i32),
    /// Fails if an argument is not as needed.
    Check(&'static [Requirement]),
}

impl Answer {
    /// Whether one instruction can stand for both.
    fn is_same(self, other: Answer) -> bool {
        match (self, other) {
            (Answer::Allow, Answer::Allow) => true,
            (Answer::Error(one), Answer::Error(other)) => one == other,
            _ => false,
        }
    }
}

/// What the filter does with the calls whose numbers are places in this list. Higher ones are unknown.
fn answers(level: SandboxLevel) -> Vec<Answer> {
    let refused = Answer::Error(libc::EPERM);
    let attributes = match level {
        SandboxLevel::Strict => Answer::Allow,
        _ => refused,
    };
    let mut answers = vec![refused; calls::FIRST_UNKNOWN as usize];
    let mut set = |call: libc::c_long, answer| {
        let place = call as usize;
        if answers.len() <= place {
            answers.resize(place + 1, Answer::Error(libc::ENOSYS));
        }
        answers[place] = answer;
    };
    for call in calls::ALLOWED.iter().chain(calls::OLD) {
        set(*call, Answer::Allow);
    }
    for call in calls::ATTRIBUTES.iter().chain(calls::OLD_ATTRIBUTES) {
        set(*call, attributes);
    }
    for (call, requirements) in calls::CHECKED {
        set(*call, Answer::Check(requirements));
    }
    if level == SandboxLevel::Strict {
        for call in calls::NETWORK {
            set(*call, Answer::Allow);
        }
        for (call, requirements) in calls::NETWORK_CHECKED {
            set(*call, Answer::Check(requirements));
        }
    }
    for (error, calls) in calls::SUBSTITUTED {
        calls.iter().for_each(|call| set(*call, Answer::Error(*error)));
    }
    answers
}

/// The filter for a machine. The kernel runs a new filter once for each call that exists, so it is a tree of
/// comparisons and not a list: that is part of what the sandbox costs at a start.
fn filter(machine: u32, level: SandboxLevel) -> BpfProgram {
    let mut runs: Vec<(u32, Answer)> = Vec::new();
    let answers = answers(level);
    let first_unknown = (answers.len(), Answer::Error(libc::ENOSYS));
    for (call, answer) in answers.into_iter().enumerate().chain([first_unknown]) {
        if runs.last().is_none_or(|(_, last)| !last.is_same(answer)) {
            runs.push((call as u32, answer));
        }
    }
    let mut program = vec![
        load(MACHINE),
        compare(libc::BPF_JEQ, machine, 1),
        answer(libc::SECCOMP_RET_KILL_PROCESS),
        load(CALL),
    ];
    program.extend(tree(&runs));
    program
}

/// Where `seccomp_data` has the number of the call, the machine, and the low word of an argument.
const CALL: u32 = 0;
const MACHINE: u32 = 4;
const fn argument(number: u32) -> u32 {
    let low_word = if cfg!(target_endian = "little") { 0 } else { 4 };
    16 + 8 * number + low_word
}

/// Finds the run of the loaded number by halving. A run begins at its number.
fn tree(runs: &[(u32, Answer)]) -> BpfProgram {
    let (low, high) = runs.split_at(runs.len() / 2);
    match (low, high) {
        ([], [(_, run)]) => leaf(*run),
        (_, [(first, _), ..]) => {
            let low = tree(low);
            let over_low = jump(low.len());
            // A comparison jumps over at most 255 instructions.
            let mut program = vec![compare_else(libc::BPF_JGE, *first, 1), over_low];
            program.extend(low);
            program.extend(tree(high));
            program
        }
        _ => Vec::new(),
    }
}

/// The end of the filter for a call.
fn leaf(run: Answer) -> BpfProgram {
    let refuse = |error: i32| answer(libc::SECCOMP_RET_ERRNO | error as u32);
    let allow = answer(libc::SECCOMP_RET_ALLOW);
    match run {
        Answer::Allow => vec![allow],
        Answer::Error(error) => vec![refuse(error)],
        Answer::Check(requirements) => {
            let mut program = Vec::new();
            for need in requirements {
                program.push(load(argument(need.argument)));
                if need.mask != u32::MAX {
                    program.push(instruction(libc::BPF_ALU | libc::BPF_AND, need.mask, 0, 0));
                }
                let left = (1..=need.values.len()).rev();
                let equal = |(value, left): (&u32, usize)| compare(libc::BPF_JEQ, *value, left as u8);
                program.extend(need.values.iter().zip(left).map(equal));
                program.push(refuse(need.error));
            }
            program.push(allow);
            program
        }
    }
}

/// Loads a word of `seccomp_data`.
const fn load(place: u32) -> sock_filter {
    instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, place, 0, 0)
}

/// Ends the filter.
const fn answer(action: u32) -> sock_filter {
    instruction(libc::BPF_RET, action, 0, 0)
}

/// Jumps over `count` instructions.
const fn jump(count: usize) -> sock_filter {
    instruction(libc::BPF_JMP | libc::BPF_JA, count as u32, 0, 0)
}

/// Jumps over `count` instructions if the loaded word compares to the value.
const fn compare(how: u32, value: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | how, value, count, 0)
}

/// The same if it does not.
const fn compare_else(how: u32, value: u32, count: u8) -> sock_filter {
    instruction(libc::BPF_JMP | how, value, 0, count)
}

const fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}

// The numbers are those of x86-64.
#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// The notes with a table of all calls, written by hand: what each answers at the levels.
    const NOTES: &str = include_str!("../../../../docs/notes/sandbox.md");

    /// What the kernel would get from a filter for a call.
    fn action(program: &BpfProgram, machine: u32, call: u32, arguments: [u32; 6]) -> u32 {
        let mut loaded = 0;
        let mut at = 0;
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let code = u32::from(code);
            at += 1;
            let holds = match code {
                _ if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                    loaded = match k {
                        CALL => call,
                        MACHINE => machine,
                        place => arguments[(place as usize - 16) / 8],
                    };
                    continue;
                }
                _ if code == libc::BPF_ALU | libc::BPF_AND => {
                    loaded &= k;
                    continue;
                }
                _ if code == libc::BPF_RET => return k,
                _ if code == libc::BPF_JMP | libc::BPF_JA => {
                    at += k as usize;
                    continue;
                }
                _ if code == libc::BPF_JMP | libc::BPF_JEQ => loaded == k,
                _ => {
                    assert_eq!(code, libc::BPF_JMP | libc::BPF_JGE);
                    loaded >= k
                }
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    fn own_filter(level: SandboxLevel) -> (u32, BpfProgram) {
        let machine = machine().unwrap();
        (machine, filter(machine, level))
    }

    /// What a cell of the table means; `None` if it depends on the arguments.
    fn meaning(cell: &str) -> Option<u32> {
        let error = |number: i32| Some(libc::SECCOMP_RET_ERRNO | number as u32);
        match cell {
            "yes" => Some(libc::SECCOMP_RET_ALLOW),
            "nothing" => error(0),
            "`EPERM`" => error(libc::EPERM),
            "`ENOSYS`" => error(libc::ENOSYS),
            "`EOPNOTSUPP`" => error(libc::EOPNOTSUPP),
            "`EINVAL`" => error(libc::EINVAL),
            _ => {
                assert_eq!(cell, "some");
                None
            }
        }
    }

    #[test]
    fn every_call_answers_as_the_notes_say() {
        let mut known = 0;
        for row in NOTES.lines().filter(|line| line.starts_with("| ")) {
            let row: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [_, calls, _, on, strict] = row[..] else {
                continue;
            };
            for call in calls.split(", ") {
                let Some((name, number)) = call.rsplit_once(' ') else {
                    continue;
                };
                let Ok(number) = number.parse::<u32>() else {
                    continue;
                };
                known += 1;
                for (level, cell) in [(SandboxLevel::On, on), (SandboxLevel::Strict, strict)] {
                    let (machine, program) = own_filter(level);
                    if let Some(expected) = meaning(cell) {
                        for arguments in [[0; 6], [u32::MAX; 6]] {
                            let action = action(&program, machine, number, arguments);
                            assert_eq!(action, expected, "{name} at {level}");
                        }
                    } else {
                        let of_strict = calls::NETWORK_CHECKED
                            .iter()
                            .filter(|_| level == SandboxLevel::Strict);
                        let is_checked = calls::CHECKED
                            .iter()
                            .chain(of_strict)
                            .any(|(call, _)| *call == libc::c_long::from(number));
                        assert!(is_checked, "{name}");
                    }
                }
            }
        }
        // Those of Linux 6.18.
        assert_eq!(known, 383);
    }

    #[test]
    fn arguments_decide_about_some_calls() {
        let error = |number: i32| libc::SECCOMP_RET_ERRNO | number as u32;
        let (machine, program) = own_filter(SandboxLevel::Strict);
        // A call, arguments with which it is allowed, and the values of one of them with which it fails.
        for (call, allowed, place, refused, expected) in [
            // F_SETOWN, F_SETSIG, F_SETOWN_EX, F_OFD_GETLK and the next two, F_SETLEASE, F_GETLEASE, F_NOTIFY,
            // F_SETPIPE_SZ, F_ADD_SEALS, F_SET_RW_HINT, F_SET_FILE_RW_HINT.
            (
                72,
                [0, 6, 0, 0],
                1,
                &[8, 10, 15, 36, 37, 38, 1024, 1025, 1026, 1031, 1033, 1036, 1038][..],
                libc::EPERM,
            ),
            // F_GETLK.
            (72, [0, 1030, 0, 0], 1, &[5], 0),
            // TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOASYNC, FIOSETOWN, SIOCSPGRP, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR,
            // FS_IOC_ENABLE_VERITY, FIDEDUPERANGE.
            (
                16,
                [0, 0x5401, 0, 0],
                1,
                &[
                    0x5412,
                    0x541c,
                    0x540e,
                    0x5452,
                    0x8901,
                    0x8902,
                    0x4008_6602,
                    0x401c_5820,
                    0x4080_6685,
                    0xc018_9436,
                ],
                libc::ENOTTY,
            ),
            // MADV_REMOVE, MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE, MADV_HWPOISON, MADV_SOFT_OFFLINE.
            (28, [0, 0, 4, 0], 2, &[9, 12, 20, 21, 25, 100, 101], libc::EINVAL),
            // MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB.
            (9, [0, 0, 0, 0x22], 3, &[0x21, 0x4_0022], libc::EPERM),
            (9, [0, 0, 0, 0x1], 3, &[0x23, 0x4_0001], libc::EPERM),
            // Each namespace, and a thread with descriptors that are not those of the process.
            (
                56,
                [0x0001_0f00, 0, 0, 0],
                0,
                &[
                    0x0002_0000,
                    0x0200_0000,
                    0x0400_0000,
                    0x0800_0000,
                    0x1000_0000,
                    0x2000_0000,
                    0x4000_0000,
                    0x0001_0b00,
                ],
                libc::EPERM,
            ),
            (56, [17, 0, 0, 0], 0, &[0x1000_0011], libc::EPERM),
            // PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_TIMERSLACK, PR_SCHED_CORE, PR_SET_MEMORY_MERGE.
            (157, [15, 0, 0, 0], 0, &[4, 22, 29, 62, 67], libc::EPERM),
            // Another process.
            (302, [0, 0, 0, 0], 0, &[1, 4000], libc::EPERM),
            // AF_INET, AF_NETLINK; datagrams, raw sockets.
            (53, [1, 1, 0, 0], 0, &[2, 16], libc::EPERM),
            (53, [1, 0x8_0005, 0, 0], 1, &[2, 3, 0x8_0002], libc::EPERM),
            // AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK; SOCK_RAW, SOCK_SEQPACKET; IPPROTO_ICMP, IPPROTO_SCTP, IPPROTO_MPTCP.
            (41, [2, 1, 0, 0], 0, &[1, 16, 17, 40], libc::EPERM),
            (41, [10, 0x8_0802, 17, 0], 1, &[3, 5, 0x8_0003], libc::EPERM),
            (41, [2, 1, 6, 0], 2, &[1, 132, 262], libc::EPERM),
            // SO_SNDBUF, SO_RCVBUF, SO_ATTACH_FILTER, SO_SNDBUFFORCE, SO_RCVBUFFORCE.
            (54, [3, 1, 2, 0], 2, &[7, 8, 26, 32, 33], 0),
            // MEMBARRIER_CMD_GLOBAL, MEMBARRIER_CMD_GLOBAL_EXPEDITED and its registration.
            (324, [8, 0, 0, 0], 0, &[1, 2, 4], libc::EINVAL),
            // CLOSE_RANGE_UNSHARE.
            (436, [3, 9, 4, 0], 2, &[2, 6], libc::EINVAL),
        ] {
            let action = |arguments: [u32; 4]| {
                let [one, two, three, four] = arguments;
                action(&program, machine, call, [one, two, three, four, 0, 0])
            };
            assert_eq!(
                action(allowed),
                libc::SECCOMP_RET_ALLOW,
                "call {call}, {allowed:?}"
            );
            for value in refused {
                let mut arguments = allowed;
                arguments[place] = *value;
                assert_eq!(
                    action(arguments),
                    error(expected),
                    "call {call}, argument {place} is {value}"
                );
            }
        }
    }

    #[test]
    fn unknown_calls_and_other_machines_are_refused() {
        for level in [SandboxLevel::On, SandboxLevel::Strict] {
            let (machine, program) = own_filter(level);
            // Those of newer kernels, and of the x32 interface.
            for call in [470, 471, 1000, 0x4000_0000, 0x4000_0029, u32::MAX] {
                let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
                assert_eq!(action(&program, machine, call, [0; 6]), absent, "call {call}");
            }
            // 32-bit code.
            let i386 = 0x4000_0003;
            let kill = libc::SECCOMP_RET_KILL_PROCESS;
            assert_eq!(action(&program, i386, 1, [0; 6]), kill);
            // `BPF_MAXINSNS`.
            assert!((300..4096).contains(&program.len()), "{}", program.len());
        }
    }
}
