//! Which system calls the JVM needs, and what it may pass to them.
//!
//! A list of what is allowed, so that what a later kernel adds is forbidden. Not on it: sockets,
//! programs and processes, signals to others, links, names and modes of files, mounts, tracing, `io_uring`. A forbidden
//! call fails with ENOSYS, at which the C library tries an older one.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Stands for the number of the process, which is not known before there is one.
pub(super) const PROCESS: u32 = 0x7a5e_c0de;

/// Whatever it is called with.
const ALWAYS: &[libc::c_long] = &[
    libc::SYS_brk,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fchdir,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_futex,
    libc::SYS_get_mempolicy,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_gettid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_lseek,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munmap,
    libc::SYS_nanosleep,
    libc::SYS_newfstatat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Those that newer processors never had.
#[cfg(target_arch = "x86_64")]
const ALWAYS_HERE: &[libc::c_long] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_dup2,
    libc::SYS_epoll_wait,
    libc::SYS_lstat,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALWAYS_HERE: &[libc::c_long] = &[];

/// Flags of `open` with which a file may be changed or made.
const CHANGES: u64 = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) as u64;

const FILE_CONTROLS: &[u64] = &[
    libc::F_DUPFD as u64,
    libc::F_DUPFD_CLOEXEC as u64,
    libc::F_GETFD as u64,
    libc::F_SETFD as u64,
    libc::F_GETFL as u64,
    libc::F_SETFL as u64,
    libc::F_GETLK as u64,
    libc::F_SETLK as u64,
    libc::F_SETLKW as u64,
];

// Other C libraries than glibc have other types here.
#[allow(clippy::unnecessary_cast)]
const DEVICE_CONTROLS: &[u64] = &[libc::TCGETS as u64, libc::FIONREAD as u64, libc::FIONBIO as u64];

/// Names of threads and of memory.
const PROCESS_CONTROLS: &[u64] = &[libc::PR_SET_NAME as u64, libc::PR_SET_VMA as u64];

/// The filter. A program may be started through the descriptor `door` and in no other way.
/// `None` on a processor for which there is none.
pub(super) fn program(door: i32) -> Option<Result<BpfProgram, String>> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    Some(build(door, architecture).map_err(|error| format!("the filter of system calls: {error}")))
}

fn build(door: i32, architecture: TargetArch) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in ALWAYS.iter().chain(ALWAYS_HERE) {
        rules.insert(*call, Vec::new());
    }
    let mut only = |call: libc::c_long, argument: u8, how: SeccompCmpOp, value: u64| {
        let length = SeccompCmpArgLen::Dword;
        let condition = SeccompCondition::new(argument, length, how, value)?;
        rules.entry(call).or_default().push(SeccompRule::new(vec![condition])?);
        Ok::<(), seccompiler::BackendError>(())
    };
    let thread = libc::CLONE_THREAD as u64;
    only(libc::SYS_clone, 0, SeccompCmpOp::MaskedEq(thread), thread)?;
    only(libc::SYS_openat, 2, SeccompCmpOp::MaskedEq(CHANGES), libc::O_RDONLY as u64)?;
    #[cfg(target_arch = "x86_64")]
    only(libc::SYS_open, 1, SeccompCmpOp::MaskedEq(CHANGES), libc::O_RDONLY as u64)?;
    only(libc::SYS_execveat, 0, SeccompCmpOp::Eq, u64::from(door.unsigned_abs()))?;
    // The JVM reads files through a class that makes a pair of these; neither end can reach anybody.
    only(libc::SYS_socketpair, 0, SeccompCmpOp::Eq, libc::AF_UNIX as u64)?;
    only(libc::SYS_tgkill, 0, SeccompCmpOp::Eq, u64::from(PROCESS))?;
    for (call, argument, values) in [
        (libc::SYS_fcntl, 1, FILE_CONTROLS),
        (libc::SYS_ioctl, 1, DEVICE_CONTROLS),
        (libc::SYS_prctl, 0, PROCESS_CONTROLS),
    ] {
        for value in values {
            only(call, argument, SeccompCmpOp::Eq, *value)?;
        }
    }
    // Limits may be read: where no new ones are given, the pointer to them is null.
    let length = SeccompCmpArgLen::Qword;
    let reading = SeccompCondition::new(2, length, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![reading])?]);
    let forbidden = SeccompAction::Errno(libc::ENOSYS as u32);
    SeccompFilter::new(rules, forbidden, SeccompAction::Allow, architecture)?.try_into()
}
