//! RavenDB in a container. xtask does not start one; it only suggests it.

/// How to get a server without .NET.
pub(super) fn advice(version: &str) -> String {
    let image =
        format!("ravendb/ravendb:{version}-ubuntu.{}-x64", if version.starts_with("7.") { "24.04" } else { "22.04" });
    format!(
        "start a container and name it: `docker run --rm -p 127.0.0.1:8080:8080 -e RAVEN_Setup_Mode=None \
         -e RAVEN_License_Eula_Accepted=true -e RAVEN_Security_UnsecuredAccessAllowed=PublicNetwork {image}`, \
         then RAVENDB_URL=http://127.0.0.1:8080"
    )
}
