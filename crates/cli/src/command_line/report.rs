//! `lookalike report`: the verdict of a release, and its report on paper.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use lookalike::{Error, ReportRequest};
use table::{TableError, output_file};

use super::{Everywhere, Run};

/// Show the verdict of a release, or print a report to PDF through an installed Chromium.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// A release folder, or a report (.html)
    release: PathBuf,
    /// Print the report to this file (PDF): the internal one, which is confidential, or with --external the one for the public
    #[arg(long, value_name = "FILE.pdf")]
    pdf: Option<PathBuf>,
    /// The edition that may be released
    #[arg(long)]
    external: bool,
    /// The browser that prints [default: chromium, chromium-browser, google-chrome or chrome, whichever is installed]
    #[arg(long, value_name = "PROGRAM", requires = "pdf")]
    browser: Option<PathBuf>,
}

impl Run for Report {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        let request = ReportRequest { release: self.release.clone(), external: self.external };
        let Some(pdf) = &self.pdf else { return everywhere.carry_out(&request) };
        let page = request.page()?;
        output_file::check("pdf", pdf, std::slice::from_ref(&page), everywhere.force)?;
        let browser = self.browser.clone().map_or_else(installed, Ok)?;
        let bytes = print(&browser, &page)?;
        match self.external {
            true => output_file::write(pdf, &bytes, everywhere.force)?,
            false => output_file::write_private(pdf, &bytes, everywhere.force)?,
        }
        let confidential = if self.external { "" } else { "; confidential: do not release" };
        everywhere.say(&format!("{}: {} on paper{confidential}\n", pdf.display(), page.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The first browser that can be started.
fn installed() -> Result<PathBuf, Error> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];
    let starts = |name: &&&str| {
        let version = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        version.is_ok_and(|output| output.status.success())
    };
    names.iter().find(starts).map(PathBuf::from).ok_or_else(|| {
        let message = "--pdf: no Chromium or Chrome is installed; open the .html file in a browser and print it there, or name a program with --browser";
        Error::Usage(message.into())
    })
}

/// The page as PDF. The browser works in a folder of its own and reaches no network.
fn print(browser: &Path, page: &Path) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::from(TableError::io(browser, error));
    let folder = tempfile::tempdir().map_err(failed)?;
    let out = folder.path().join("report.pdf");
    let full = std::fs::canonicalize(page).map_err(|error| TableError::io(page, error))?;
    let status = Command::new(browser)
        .args(["--headless=new", "--disable-gpu", "--no-sandbox", "--no-first-run", "--no-pdf-header-footer"])
        .args(["--disable-background-networking", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("--print-to-pdf={}", out.display()))
        .arg(format!(
            "file://{}",
            full.display()
                .to_string()
                .replace('%', "%25")
                .replace('#', "%23")
                .replace('?', "%3F")
                .replace(' ', "%20")
        ))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(failed)?;
    let message = || format!("--pdf: {} could not print the page ({status})", browser.display());
    std::fs::read(&out).map_err(|_| Error::Usage(message()))
}
