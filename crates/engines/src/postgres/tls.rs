//! Encrypted connections: the certificate is checked, and that it is of the host. There is no way to leave that out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::EngineError;

/// A connector that trusts these certificates, else those of the system, and shows our own where there is one.
pub(super) fn connector(
    roots: Option<&Path>,
    own: Option<&(PathBuf, PathBuf)>,
) -> Result<MakeRustlsConnect, EngineError> {
    let mut trusted = RootCertStore::empty();
    match roots {
        Some(path) => {
            for certificate in certificates(path)? {
                trusted.add(certificate).map_err(|_| unreadable(path))?;
            }
        }
        None => {
            trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    if trusted.is_empty() {
        let message = "no certificate is trusted here; name that of your authority with sslrootcert=FILE";
        return Err(EngineError::usage(message));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = versions
        .map_err(|error| EngineError::usage(format!("TLS: {error}")))?
        .with_root_certificates(trusted);
    let config = match own {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let secret = PrivateKeyDer::from_pem_file(key).map_err(|_| unreadable(key))?;
            builder
                .with_client_auth_cert(certificates(certificate)?, secret)
                .map_err(|_| unreadable(certificate))?
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, EngineError> {
    let found = CertificateDer::pem_file_iter(path).map_err(|_| unreadable(path))?;
    found.collect::<Result<_, _>>().map_err(|_| unreadable(path))
}

fn unreadable(path: &Path) -> EngineError {
    EngineError::usage(format!("{}: this is no certificate or key in PEM that can be read", path.display()))
}
