//! What the process may not do: leave its memory behind, write where it was not asked to, open a connection.

use std::path::PathBuf;

use clap::ValueEnum;
use lookalike::{Connections, Error, Request};

use super::Everywhere;

/// Whether the command confines itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Sandbox {
    /// Where the system can
    #[default]
    Auto,
    /// Or end with an error where the system cannot
    Required,
    /// No
    Off,
}

/// A process that holds records leaves no copy of its memory when it dies, and no other process of the same user reads it.
pub(super) fn forbid_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let nothing = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = setrlimit(Resource::Core, nothing);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

impl Everywhere {
    /// Everything between the options and the work: results are checked, the process confines itself to the files of the request, and only then are there threads.
    pub(super) fn prepare(&self, request: &impl Request) -> Result<(), Error> {
        self.check_json(&request.inputs())?;
        let json = self.json.iter().filter(|file| *file != "-").map(PathBuf::from);
        let writes: Vec<PathBuf> =
            request.outputs().into_iter().chain(json).map(|path| place_of(&path)).collect();
        match self.sandbox {
            Sandbox::Off => {}
            wanted => {
                if let Err(because) = confine(&request.reads(), &writes, &request.connects())
                    && wanted == Sandbox::Required
                {
                    let message =
                        format!("this system cannot confine the process ({because}); say `--sandbox auto`");
                    return Err(Error::Usage(format!("--sandbox required: {message}")));
                }
            }
        }
        #[cfg(debug_assertions)]
        try_to_escape();
        self.start_threads()
    }

    /// The threads of all work, as many as were asked for.
    pub(super) fn start_threads(&self) -> Result<(), Error> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
        pool.map_err(|error| Error::Usage(format!("--threads {threads}: {error}")))
    }
}

/// The folder in which a result is made: files and folders are written beside their place first, and then renamed.
fn place_of(path: &std::path::Path) -> PathBuf {
    let resolved = table::output_file::resolved(path);
    let above = resolved.parent().map(std::path::Path::to_owned).unwrap_or(resolved);
    above
        .ancestors()
        .find(|ancestor| ancestor.is_dir())
        .map_or_else(|| PathBuf::from("."), std::path::Path::to_owned)
}

/// From now on this thread, and all that it starts, read these files and folders, write below those folders, and open no connection but these (Landlock: Salaün 2021).
#[cfg(target_os = "linux")]
fn confine(reads: &[PathBuf], writes: &[PathBuf], connections: &Connections) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetError, path_beneath_rules,
    };
    // Folders are renamed, which the first version forbids; what later ones know beside is taken where it is there.
    let (needed, known) = (ABI::V2, ABI::V5);
    // How many cores and how much memory there are.
    let system = ["/proc", "/sys/fs/cgroup", "/dev/urandom"].map(PathBuf::from);
    let ports = match connections {
        Connections::To(ports) => ports.as_slice(),
        Connections::Anywhere => &[],
    };
    // What is not handled is not forbidden.
    let of_network = match connections {
        Connections::To(_) => AccessNet::from_all(known),
        Connections::Anywhere => AccessNet::BindTcp.into(),
    };
    let ruleset = || {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(needed))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(known))?
            .handle_access(of_network)?
            .create()?
            .add_rules(path_beneath_rules(reads.iter().chain(&system), AccessFs::from_read(known)))?
            .add_rules(path_beneath_rules(writes, AccessFs::from_all(known) & !AccessFs::Execute))?
            .add_rules(
                ports.iter().map(|port| Ok::<_, RulesetError>(NetPort::new(*port, AccessNet::ConnectTcp))),
            )?
            .restrict_self()
    };
    ruleset().map(|_| ()).map_err(|error| error.to_string())
}

#[cfg(not(target_os = "linux"))]
fn confine(_: &[PathBuf], _: &[PathBuf], _: &Connections) -> Result<(), String> {
    Err("it is not Linux".into())
}

/// In builds for tests: tries what a confined process may not do, at the path that the test names, and says what came of it.
#[cfg(debug_assertions)]
fn try_to_escape() {
    let Some(path) = std::env::var_os("LOOKALIKE_TEST_SANDBOX") else { return };
    let outcome = |done: bool| if done { "DONE" } else { "refused" };
    eprintln!("write: {}", outcome(std::fs::write(&path, "escaped").is_ok()));
    eprintln!("read: {}", outcome(std::fs::read("/etc/passwd").is_ok()));
    let refused = std::net::TcpStream::connect("127.0.0.1:9")
        .err()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied);
    eprintln!("connect: {}", outcome(!refused));
}
