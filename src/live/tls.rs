//! TLS to the server, in Rust alone.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::diagnostic::Fault;
use crate::escape::shown;
use crate::live::address::{Address, Checks};

/// What connects with the checks that the address asks for.
///
/// # Errors
/// When the roots to check against cannot be had.
pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, Fault> {
    let provider = Arc::new(ring::default_provider());
    let inner = match address.checks {
        Checks::Nothing => None,
        Checks::Signer | Checks::SignerAndHost => Some(verifier(address, &provider)?),
    };
    let host_counts = address.checks == Checks::SignerAndHost;
    let judge = Judge { inner, host_counts, provider: Arc::clone(&provider) };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Fault::new(format!("TLS cannot be set up: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(judge))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn verifier(address: &Address, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>, Fault> {
    let mut roots = RootCertStore::empty();
    let (certificates, from) = match &address.root {
        Some(path) => (of_file(path)?, format!("{}", path.display())),
        None => (rustls_native_certs::load_native_certs().certs, "the system's store".to_owned()),
    };
    roots.add_parsable_certificates(certificates);
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build().map_err(|_| {
        Fault::new(format!("there is no root certificate in {}", shown(&from)))
            .with_help("name a file with the certificate of the server's signer: sslrootcert=FILE")
    })
}

fn of_file(path: &Path) -> Result<Vec<CertificateDer<'static>>, Fault> {
    let unreadable = |why: String| {
        Fault::new(format!("cannot read the root certificate {}: {}", shown(&path.display().to_string()), shown(&why)))
            .with_help("sslrootcert names a PEM file")
    };
    let certificates = CertificateDer::pem_file_iter(path).map_err(|error| unreadable(error.to_string()))?;
    certificates.collect::<Result<_, _>>().map_err(|error| unreadable(error.to_string()))
}

/// Judges a server's certificate as libpq's `sslmode` says: not at all, by its signer, or by signer and host. That
/// the server has the certificate's key is looked at always.
#[derive(Debug)]
struct Judge {
    inner: Option<Arc<WebPkiServerVerifier>>,
    host_counts: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(inner) = &self.inner else { return Ok(ServerCertVerified::assertion()) };
        match inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is looked at last: what fails by it alone has a signer that is trusted.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.host_counts => Ok(ServerCertVerified::assertion()),
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
