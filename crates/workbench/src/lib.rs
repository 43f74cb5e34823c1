//! Lookalike in a browser, for people who do not use a terminal: a small server on this machine alone, which starts the same commands as a person
//! would type and writes down what they are.
//!
//! What it does for safety, each in one place:
//!
//! - it listens on the loopback address only, or on a socket file that its owner alone can open (`door`);
//! - a link with a random token lets one browser in, once (`session`); everything else needs the cookie that it sets;
//! - `Host` must be its own address, `Origin` too where it is sent, so that no other page can speak to it (`request`);
//! - what changes something is a `POST` with the session's form token, or with the header `X-Lookalike`;
//! - pages load nothing from elsewhere and run no script but its own (`response`);
//! - files are those under one folder, links out of it refused (`root`); nothing is uploaded;
//! - jobs are child processes of the same program with arguments that were built from typed fields (`jobs`), one at a time; they end when it ends.

mod door;
mod http;
mod jobs;
mod pages;
mod record;
mod root;
mod server;
mod session;

pub use server::{Served, Settings, serve};

/// Why the workbench could not be started.
#[derive(Debug, thiserror::Error)]
pub enum WorkbenchError {
    /// The folder or the address.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// What went wrong.
        source: std::io::Error,
    },
}
