//! Mutual TLS between client, scheduler and executors.

use super::{causes, problem};
use crate::base::error::{DidError, Result};
use ballista_core::extension::EndpointOverrideFn;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity, ServerTlsConfig};

/// The ring of those who may talk to each other: a certificate of an authority, and an own one that it has signed. The own one is
/// shown to both ends of every connection, and must carry the names by which its machine is reached.
#[derive(Clone)]
pub(crate) struct Tls {
    authority: Certificate,
    identity: Identity,
}

// Nothing of the key is shown.
impl std::fmt::Debug for Tls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Tls")
    }
}

impl Tls {
    /// Reads the three PEM files.
    pub(crate) fn load(authority: &Path, certificate: &Path, key: &Path) -> Result<Self> {
        let read = |path: &Path| {
            std::fs::read(path)
                .map_err(|error| problem(format!("{} cannot be read: {error}", path.display())))
        };
        let lacks = |what: &str, path: &Path| problem(format!("no {what} in {}", path.display()));
        let (authority, certificate) =
            (certificates(authority, &read, &lacks)?, certificates(certificate, &read, &lacks)?);
        let key = {
            let bytes = read(key)?;
            PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| lacks("key", key))?;
            bytes
        };
        // Libraries may bring several kinds of cryptography; it must be said which is used. The first one stays.
        rustls::crypto::ring::default_provider().install_default().ok();
        let certificates = Self {
            authority: Certificate::from_pem(authority),
            identity: Identity::from_pem(certificate, key),
        };
        certificates.endpoint(&Endpoint::from_static("http://localhost")).map_err(|error| {
            problem(format!("the certificates are not usable: {}", causes(&error)))
        })?;
        Ok(certificates)
    }

    /// What servers show and ask for: callers without a certificate of the ring are refused.
    pub(super) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(self.identity.clone())
            .client_ca_root(self.authority.clone())
            .timeout(Duration::from_secs(10))
    }

    /// The same endpoint through TLS.
    pub(super) fn endpoint(
        &self,
        endpoint: &Endpoint,
    ) -> std::result::Result<Endpoint, tonic::transport::Error> {
        let address = endpoint.uri().to_string().replacen("http://", "https://", 1);
        let tls = ClientTlsConfig::new()
            .ca_certificate(self.authority.clone())
            .identity(self.identity.clone());
        let endpoint = Endpoint::from_shared(address)?
            .connect_timeout(Duration::from_secs(5))
            .http2_keep_alive_interval(Duration::from_secs(5))
            .keep_alive_timeout(Duration::from_secs(5))
            .keep_alive_while_idle(true);
        endpoint.tls_config(tls)
    }

    /// The same for connections that Ballista opens.
    pub(super) fn endpoints(&self) -> EndpointOverrideFn {
        let certificates = Arc::new(self.clone());
        Arc::new(move |endpoint| Ok(certificates.endpoint(&endpoint)?))
    }
}

/// The bytes of a file that has a certificate.
fn certificates(
    path: &Path,
    read: &impl Fn(&Path) -> Result<Vec<u8>>,
    lacks: &impl Fn(&str, &Path) -> DidError,
) -> Result<Vec<u8>> {
    let bytes = read(path)?;
    let all_are_certificates = CertificateDer::pem_slice_iter(&bytes)
        .all(|all_are_certificates| all_are_certificates.is_ok());
    let any = CertificateDer::pem_slice_iter(&bytes).next().is_some();
    if all_are_certificates && any { Ok(bytes) } else { Err(lacks("certificate", path)) }
}

/// What may be the reason that a connection fails where one side expects certificates.
pub(super) fn hint(with_certificates: bool) -> &'static str {
    if with_certificates {
        "; it must have been started with certificates of the same authority"
    } else {
        "; if it was started with certificates, they are needed here, too (--tls-ca, --tls-cert, --tls-key)"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_certificates_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.pem");
        for text in
            ["", "root:x:0:0", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"]
        {
            std::fs::write(&path, text).unwrap();
            let error = Tls::load(&path, &path, &path).unwrap_err().to_string();
            assert!(error.contains("no certificate in") && error.contains("a.pem"), "{error}");
        }
    }
}
