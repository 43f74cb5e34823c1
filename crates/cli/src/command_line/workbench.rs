//! `lookalike workbench`: the same in a browser, on this machine alone.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use lookalike::Error;

use super::{Everywhere, Run};

/// Open the workbench: projects, schema, frontier and release in a browser, on this machine alone.
#[derive(Debug, Args)]
pub(super) struct Workbench {
    /// The folder of the projects; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// The port on the loopback address [default: one that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// A socket file instead of a port, for machines that others use too: it is made with mode 0600, and reached by `ssh -L 8765:PATH HOST`
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    socket: Option<PathBuf>,
    /// Do not open a browser; print the link only
    #[arg(long)]
    no_browser: bool,
}

impl Run for Workbench {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let program =
            std::env::current_exe().map_err(|error| table::TableError::io("this program", error))?;
        let settings = ::workbench::Settings {
            root: self.root.clone(),
            port: self.port.unwrap_or_default(),
            socket: self.socket.clone(),
            program,
        };
        let served = ::workbench::serve(&settings).map_err(|error| Error::Usage(error.to_string()))?;
        let link = served.link();
        everywhere.say(&match &self.socket {
            None => format!(
                "the workbench is open at this link, which works once:\n{link}\nfrom another machine: ssh -L PORT:127.0.0.1:PORT HOST; Ctrl-C ends it\n"
            ),
            Some(path) => format!(
                "the workbench listens at {path}, which you alone can open. On your own machine: ssh -L 8765:{path} HOST, then open this link, which works once:\n{link}\nCtrl-C ends it\n",
                path = std::path::absolute(path).unwrap_or_else(|_| path.clone()).display()
            ),
        })?;
        if !self.no_browser && self.socket.is_none() {
            open(served.link());
        }
        served.wait();
        Ok(ExitCode::SUCCESS)
    }
}

/// Opens the link in the usual browser, if there is one; it was printed anyway.
fn open(link: &str) {
    let programs: &[(&str, &[&str])] = match std::env::consts::OS {
        "macos" => &[("open", &[])],
        "windows" => &[("rundll32", &["url.dll,FileProtocolHandler"])],
        _ => &[("xdg-open", &[])],
    };
    for (program, arguments) in programs {
        let started = Command::new(program)
            .args(*arguments)
            .arg(link)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if started.is_ok() {
            return;
        }
    }
}
