//! Where the workbench listens: a port of the loopback address, or a socket file that its owner alone can open.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
#[cfg(unix)]
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a connection comes in.
pub(crate) enum Door {
    Port(TcpListener),
    #[cfg(unix)]
    Socket(UnixListener, PathBuf),
}

/// Where others knock.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    Port(SocketAddr),
    #[cfg(unix)]
    Socket(PathBuf),
}

/// The names by which a browser may call it: those of this machine and of no other, so that no page elsewhere can speak to it under a name of its own.
pub(crate) enum Hosts {
    /// These alone.
    Own([String; 2]),
    /// This machine by any port: a socket has none, and whoever forwards it chooses one.
    #[cfg(unix)]
    AnyPort,
}

/// The names of this machine.
const LOCAL: [&str; 2] = ["127.0.0.1", "localhost"];
/// The port that the link of a socket names; `ssh -L` takes any other as well.
#[cfg(unix)]
const FORWARDED: u16 = 8765;

/// What is done with a connection of either kind.
pub(crate) trait Visitor {
    fn visit<S>(&mut self, stream: S)
    where
        S: Send + 'static,
        for<'s> &'s S: Read + Write;
}

impl Door {
    /// A port of the loopback address; 0 is one that is free.
    pub(crate) fn port(port: u16) -> std::io::Result<Self> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map(Self::Port)
    }

    /// A socket file of mode 0600. It is made in a folder that nobody else can enter and moved to its place, so that there is no moment in which others
    /// could open it. What a workbench that was killed has left there is removed; one that answers is not.
    #[cfg(unix)]
    pub(crate) fn socket(path: &Path) -> std::io::Result<Self> {
        use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
        let refused = |text: &str| std::io::Error::new(std::io::ErrorKind::AlreadyExists, text.to_owned());
        if let Ok(there) = std::fs::symlink_metadata(path) {
            if !there.file_type().is_socket() {
                return Err(refused("there is a file of this name that is no socket"));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(refused("another workbench answers there"));
            }
            std::fs::remove_file(path)?;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = parent.join(format!(".lookalike-{}", std::process::id()));
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let inner = folder.join("s");
        let made = UnixListener::bind(&inner).and_then(|listener| {
            std::fs::set_permissions(&inner, std::fs::Permissions::from_mode(0o600))?;
            std::fs::rename(&inner, path)?;
            Ok(listener)
        });
        // Whatever is left in it is ours.
        drop(std::fs::remove_dir_all(&folder));
        made.map(|listener| Self::Socket(listener, path.to_owned()))
    }

    /// There are no socket files on this system.
    #[cfg(not(unix))]
    pub(crate) fn socket(_: &Path) -> std::io::Result<Self> {
        Err(std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            "this system has no socket files; use a port",
        ))
    }

    pub(crate) fn address(&self) -> std::io::Result<Address> {
        match self {
            Self::Port(listener) => listener.local_addr().map(Address::Port),
            #[cfg(unix)]
            Self::Socket(_, path) => Ok(Address::Socket(path.clone())),
        }
    }

    /// Waits for the next connection, which may take so long to ask or to listen, and from this machine alone.
    pub(crate) fn next(&self, patience: Duration, visitor: &mut impl Visitor) {
        match self {
            Self::Port(listener) => {
                let Ok((stream, peer)) = listener.accept() else { return };
                let patient =
                    stream.set_read_timeout(Some(patience)).and(stream.set_write_timeout(Some(patience)));
                if patient.is_ok() && peer.ip().is_loopback() {
                    visitor.visit(stream);
                }
            }
            #[cfg(unix)]
            Self::Socket(listener, _) => {
                let Ok((stream, _)) = listener.accept() else { return };
                let patient =
                    stream.set_read_timeout(Some(patience)).and(stream.set_write_timeout(Some(patience)));
                if patient.is_ok() {
                    visitor.visit(stream);
                }
            }
        }
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Self::Socket(_, path) = self {
            // It may be gone already, which is what is wanted.
            drop(std::fs::remove_file(path));
        }
    }
}

impl Address {
    /// Wakes whoever waits for connections.
    pub(crate) fn knock(&self) {
        match self {
            Self::Port(address) => drop(TcpStream::connect(address)),
            #[cfg(unix)]
            Self::Socket(path) => drop(UnixStream::connect(path)),
        }
    }

    pub(crate) fn hosts(&self) -> Hosts {
        match self {
            Self::Port(address) => Hosts::Own(LOCAL.map(|host| format!("{host}:{}", address.port()))),
            #[cfg(unix)]
            Self::Socket(_) => Hosts::AnyPort,
        }
    }

    /// The port of the link.
    pub(crate) fn shown_port(&self) -> u16 {
        match self {
            Self::Port(address) => address.port(),
            #[cfg(unix)]
            Self::Socket(_) => FORWARDED,
        }
    }
}

impl Hosts {
    /// Whether a host is this machine.
    pub(crate) fn are(&self, host: &str) -> bool {
        match self {
            Self::Own(own) => own.iter().any(|own| own == host),
            #[cfg(unix)]
            Self::AnyPort => host
                .rsplit_once(':')
                .is_some_and(|(name, port)| LOCAL.contains(&name) && port.parse::<u16>().is_ok()),
        }
    }

    /// Whether what sent a request is a page of the host that it asks.
    pub(crate) fn same(&self, host: &str, origin: &str) -> bool {
        match self {
            Self::Own(_) => self.are(origin),
            #[cfg(unix)]
            Self::AnyPort => host == origin,
        }
    }
}
