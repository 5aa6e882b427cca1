//! The command line.

pub(crate) const USAGE: &str = "\
raven-edge-authority: RavenDB's lease and document routes, in memory, for tests

  --port N                   port of the first node; 0 (default) lets the system choose
  --nodes 1|2                number of nodes (default 1); two nodes, A and B, replicate to each other
  --database NAME            create this database at the start; may be repeated
  --replication-delay-ms N   milliseconds until a write reaches the other node (default 0: before the response)
  --allow-any-origin         do not refuse requests with a foreign Origin";

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) port: u16,
    pub(crate) nodes: u8,
    pub(crate) databases: Vec<String>,
    pub(crate) replication_delay_ms: u64,
    pub(crate) check_origin: bool,
}

impl Args {
    /// `None` if help was requested.
    pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut parsed = Self { port: 0, nodes: 1, databases: Vec::new(), replication_delay_ms: 0, check_origin: true };
        let mut args = args;
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--port" => parsed.port = number(&arg, &value()?)?,
                "--nodes" => parsed.nodes = number(&arg, &value()?)?,
                "--database" => parsed.databases.push(value()?),
                "--replication-delay-ms" => parsed.replication_delay_ms = number(&arg, &value()?)?,
                "--allow-any-origin" => parsed.check_origin = false,
                "--help" | "-h" => return Ok(None),
                other => return Err(format!("unknown argument {other}")),
            }
        }
        if !(1..=2).contains(&parsed.nodes) {
            return Err("--nodes must be 1 or 2".into());
        }
        if parsed.port == u16::MAX && parsed.nodes > 1 {
            return Err("the second node needs the next port, but 65535 is the highest".into());
        }
        Ok(Some(parsed))
    }
}

fn number<N: std::str::FromStr>(name: &str, text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("{name}: {text} is not a whole number, or is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Args>, String> {
        Args::parse(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments() {
        let all = parse("--port 18150 --nodes 2 --database a --database b --replication-delay-ms 5 --allow-any-origin");
        let expected = Args {
            port: 18150,
            nodes: 2,
            databases: vec!["a".into(), "b".into()],
            replication_delay_ms: 5,
            check_origin: false,
        };
        assert_eq!(all, Ok(Some(expected)));
        assert_eq!(parse("--help"), Ok(None));
        for wrong in
            ["--port", "--port x", "--port 70000", "--nodes 3", "--nodes 0", "--frob", "--port 65535 --nodes 2"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
