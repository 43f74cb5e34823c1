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
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Do not open a browser; print the link only
    #[arg(long)]
    no_browser: bool,
}

impl Run for Workbench {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let program =
            std::env::current_exe().map_err(|error| table::TableError::io("this program", error))?;
        let settings = ::workbench::Settings { root: self.root.clone(), port: self.port, program };
        let served = ::workbench::serve(&settings).map_err(|error| Error::Usage(error.to_string()))?;
        everywhere.say(&format!(
            "the workbench is open at this link, which works once:\n{}\nfrom another machine: ssh -L PORT:127.0.0.1:PORT; Ctrl-C ends it\n",
            served.link()
        ))?;
        if !self.no_browser {
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
