//! The child's way into the sandbox.
//!
//! Everything that needs memory is prepared before `fork`; after it only system calls are made, because other
//! threads of this program may have held any lock at that moment.

#![expect(unsafe_code, reason = "between fork and exec there is nothing but system calls")]

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use seccompiler::BpfProgram;

use super::{Inside, Protection, filter};

/// Most descriptors of the child; more would cost it a table of that size.
const DESCRIPTORS: u64 = 16_384;
const PROCESSORS: usize = 2;
const MEGABYTE: u64 = 1 << 20;
/// Threads that may come to be in the system while the child runs; the limit counts those of all
/// programs of the user.
const THREADS: u64 = 4_096;

/// Asks the kernel, and changes nothing.
pub(super) fn offered() -> Protection {
    let action: u32 = libc::SECCOMP_RET_ERRNO;
    let is_known = filter::program(0).is_some();
    // SAFETY: the kernel reads one u32.
    let filter = is_known
        && unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &action) }
            == 0;
    // SAFETY: with no attributes and flag 1 the kernel only returns its version.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0_usize, 1_u32)
    };
    match (filter, version > 0) {
        (true, true) => Protection::Complete,
        (true, false) => Protection::Filter,
        (false, true) => Protection::Landlock,
        (false, false) => Protection::None,
    }
}

/// What the child needs, made before there is one.
struct Prepared {
    program: File,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    /// Null-terminated, into the two above.
    pointers: (Vec<usize>, Vec<usize>),
    /// The number at which the program is open when it is started.
    door: RawFd,
    limits: Vec<(libc::__rlimit_resource_t, u64)>,
    processors: Option<libc::cpu_set_t>,
    landlock: Option<RulesetCreated>,
    filter: Option<BpfProgram>,
}

/// Makes `command` start its program in the sandbox.
pub(super) fn confine(
    command: &mut Command,
    inside: &Inside,
    protection: Protection,
) -> Result<(), String> {
    let mut prepared = prepare(command, inside, protection)?;
    // SAFETY: `enter` makes system calls on what has been prepared, and allocates nothing.
    unsafe { command.pre_exec(move || enter(&mut prepared)) };
    Ok(())
}

fn prepare(command: &Command, inside: &Inside, protection: Protection) -> Result<Prepared, String> {
    let fail = |what: &str, error: &dyn std::fmt::Display| {
        Err(format!("the sandbox cannot be built: {what}: {error}"))
    };
    let program = match File::open(&inside.program) {
        Ok(program) => program,
        Err(error) => return fail(&inside.program.display().to_string(), &error),
    };
    let text = |s: &OsStr| CString::new(s.as_bytes()).unwrap_or_default();
    let first = std::iter::once(inside.program.as_os_str());
    let arguments: Vec<CString> =
        first.chain(inside.arguments.iter().map(|a| a.as_os_str())).map(text).collect();
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let environment: Vec<CString> =
        set.map(|(name, value)| text(&[name, value].join(OsStr::new("=")))).collect();
    let pointers = |texts: &[CString]| -> Vec<usize> {
        texts.iter().map(|t| t.as_ptr() as usize).chain([0]).collect()
    };
    let pointers = (pointers(&arguments), pointers(&environment));
    let door = descriptors();
    let has_filter = matches!(protection, Protection::Complete | Protection::Filter);
    let filter = match filter::program(door).filter(|_| has_filter).transpose() {
        Ok(filter) => filter,
        Err(error) => return fail("seccomp", &error),
    };
    let has_landlock = matches!(protection, Protection::Complete | Protection::Landlock);
    let landlock = match has_landlock.then(|| rules(inside)).transpose() {
        Ok(landlock) => landlock,
        Err(error) => return fail("Landlock", &error),
    };
    let limits = limits(door.unsigned_abs().into(), inside.reserves);
    let processors = processors();
    Ok(Prepared {
        program,
        arguments,
        environment,
        pointers,
        door,
        limits,
        processors,
        landlock,
        filter,
    })
}

/// Reading is free; writing and all else that Landlock knows is not, but for the directory.
fn rules(inside: &Inside) -> Result<RulesetCreated, landlock::RulesetError> {
    let abi = ABI::V6;
    let written = AccessFs::from_write(abi);
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(written)?
        .handle_access(AccessNet::from_all(abi))?
        .scope(Scope::from_all(abi))?
        .create()?;
    match PathFd::new(&inside.directory) {
        Ok(directory) => rules.add_rule(PathBeneath::new(directory, written)),
        Err(_) => Ok(rules),
    }
}

/// One less than may be open here: the child cannot open this one.
fn descriptors() -> RawFd {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one `rlimit`.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    let most = if known { limit.rlim_cur.clamp(64, DESCRIPTORS) } else { 1024 };
    RawFd::try_from(most - 1).unwrap_or(1023)
}

fn limits(descriptors: u64, reserves: bool) -> Vec<(libc::__rlimit_resource_t, u64)> {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let threads = load.split('/').nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    let mut limits = vec![
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, MEGABYTE),
        (libc::RLIMIT_CPU, 3_600),
        (libc::RLIMIT_MEMLOCK, 0),
        (libc::RLIMIT_MSGQUEUE, 0),
        (libc::RLIMIT_NOFILE, descriptors),
    ];
    if !reserves {
        limits.push((libc::RLIMIT_DATA, 2_048 * MEGABYTE));
        limits.push((libc::RLIMIT_AS, 16_384 * MEGABYTE));
    }
    limits.extend(threads.map(|running: u64| (libc::RLIMIT_NPROC, running + THREADS)));
    limits
}

/// Two of those that we may use, not always the same.
fn processors() -> Option<libc::cpu_set_t> {
    // SAFETY: a set of processors is an array of integers, and the kernel fills it.
    let ours = unsafe {
        let mut ours: libc::cpu_set_t = std::mem::zeroed();
        (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut ours) == 0)
            .then_some(ours)?
    };
    // SAFETY: the numbers stay below the size of the set.
    let usable: Vec<usize> = (0..libc::CPU_SETSIZE as usize)
        .filter(|number| unsafe { libc::CPU_ISSET(*number, &ours) })
        .collect();
    let start = std::process::id() as usize % usable.len().max(1);
    // SAFETY: as above.
    let mut chosen: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for number in usable.iter().cycle().skip(start).take(PROCESSORS.min(usable.len())) {
        // SAFETY: as above.
        unsafe { libc::CPU_SET(*number, &mut chosen) };
    }
    Some(chosen)
}

/// In the child: into the sandbox, then into the program. Returns only if that fails, or if there
/// is no filter, when any way to start the program is as good as another.
fn enter(prepared: &mut Prepared) -> io::Result<()> {
    let check = |result: libc::c_int| match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    };
    // SAFETY: system calls on plain numbers and on memory that the caller keeps.
    unsafe {
        // No terminal, and no part in what is typed there.
        check(libc::setsid())?;
        check(libc::dup3(prepared.program.as_raw_fd(), prepared.door, libc::O_CLOEXEC))?;
        for (resource, most) in &prepared.limits {
            lower(*resource, *most)?;
        }
        if let Some(processors) = &prepared.processors {
            // It may have lost them meanwhile, which only leaves it with others.
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), processors);
        }
        check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
    }
    if let Some(rules) = prepared.landlock.take() {
        rules.restrict_self().map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
    }
    let Some(filter) = &mut prepared.filter else {
        return Ok(());
    };
    // SAFETY: asks for a number.
    let process = unsafe { libc::getpid() }.unsigned_abs();
    for instruction in filter.iter_mut().filter(|i| i.k == filter::PROCESS) {
        instruction.k = process;
    }
    seccompiler::apply_filter(filter).map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
    let (arguments, environment) = &prepared.pointers;
    // SAFETY: both lists end in null and point into strings that `prepared` holds.
    unsafe {
        libc::syscall(
            libc::SYS_execveat,
            prepared.door,
            c"".as_ptr(),
            arguments.as_ptr(),
            environment.as_ptr(),
            libc::AT_EMPTY_PATH,
        )
    };
    debug_assert_eq!(prepared.arguments.len() + 1, arguments.len());
    debug_assert_eq!(prepared.environment.len() + 1, environment.len());
    Err(io::Error::last_os_error())
}

/// Sets a limit, unless a lower one is in force.
///
/// # Safety
/// None is needed beyond that of the calls: they get memory of this function.
unsafe fn lower(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the kernel writes one `rlimit`, then reads one.
    unsafe {
        if libc::getrlimit(resource, &raw mut limit) == -1 {
            return Err(io::Error::last_os_error());
        }
        let most = most.min(limit.rlim_max);
        let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
        if libc::setrlimit(resource, &raw const limit) == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
