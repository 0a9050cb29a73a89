//! Certificates, and what is said without them.

use std::net::IpAddr;
use std::path::PathBuf;

use burn_did::cluster::Certificates;
use clap::Args;

use crate::error::{CliError, Result};
use crate::messages;

/// Mutual TLS.
#[derive(Args)]
pub(crate) struct TlsArgs {
    /// Certificate of the authority that signs those of client, scheduler and executors.
    #[arg(long, value_name = "PEM", help_heading = "Security")]
    tls_ca: Option<PathBuf>,
    /// Own certificate.
    #[arg(long, value_name = "PEM", help_heading = "Security")]
    tls_cert: Option<PathBuf>,
    /// Its key.
    #[arg(long, value_name = "PEM", help_heading = "Security")]
    tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// The certificates, if they are named.
    pub(crate) fn certificates(&self) -> Result<Option<Certificates>> {
        match (&self.tls_ca, &self.tls_cert, &self.tls_key) {
            (None, None, None) => Ok(None),
            (Some(authority), Some(certificate), Some(key)) => {
                Ok(Some(Certificates::new(authority, certificate, key)))
            }
            _ => Err(CliError::usage(
                "--tls-ca, --tls-cert and --tls-key go together",
                "name all three",
            )),
        }
    }

    /// Warns of an address that others reach and that lets everybody in.
    pub(crate) fn warn(&self, bind: IpAddr) {
        if !bind.is_loopback() && self.tls_ca.is_none() {
            messages::warning(format!(
                "{bind} is open to everybody who reaches it: tasks and data are not encrypted and nobody is asked who they \
                 are; use --tls-ca, --tls-cert and --tls-key, or a network of your own"
            ));
        }
    }
}
