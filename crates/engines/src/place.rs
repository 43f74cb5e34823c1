//! Where a table is that an engine counts, whatever the engine. A binary may add engines that this workspace does not link: see [`add`].

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

use table::sql::Engine;
use table::watch::Watch;

use crate::{Address, EngineError};

/// Where a table is, and how it is opened there.
pub trait Place: Send + Sync {
    /// What reports call the table: its own name, nothing of a machine.
    fn name(&self) -> &str;

    /// The parts of the table's path in queries.
    fn table(&self) -> &[String];

    /// Files and folders that may be read on the way, and connections.
    fn opens(&self) -> (Vec<PathBuf>, Connections);

    /// The sentence that says what can, if this build cannot connect.
    fn available(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Connects, and begins to look at one state of the data.
    fn open(&self, watch: &Watch) -> Result<Box<dyn Engine>, EngineError>;
}

/// What a run connects to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Connections {
    /// These ports, and no others.
    To(Vec<u16>),
    /// Ports that are not known before, such as those of the workers of a cluster.
    Anywhere,
}

impl Default for Connections {
    fn default() -> Self {
        Self::To(Vec::new())
    }
}

impl Connections {
    /// These and those.
    pub fn and(self, others: Self) -> Self {
        match (self, others) {
            (Self::To(mut ports), Self::To(others)) => {
                ports.extend(others);
                Self::To(ports)
            }
            _ => Self::Anywhere,
        }
    }
}

/// Reads an address.
pub type Locate = fn(&str) -> Result<Box<dyn Place>, EngineError>;

/// Engines that the binary added, by the scheme of their addresses.
static ADDED: RwLock<Vec<(&'static str, Locate)>> = RwLock::new(Vec::new());

/// Schemes of the engines that the binary `lookalike-cluster` adds.
const OF_THE_CLUSTER: [&str; 2] = ["datafusion", "ballista"];

/// Addresses that begin with `scheme:` are tables of this engine from now on, wherever data are named.
pub fn add(scheme: &'static str, locate: Locate) {
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    added.retain(|(known, _)| *known != scheme);
    added.push((scheme, locate));
}

fn added(scheme: &str) -> Option<Locate> {
    let added = ADDED.read().unwrap_or_else(PoisonError::into_inner);
    added.iter().find(|(known, _)| *known == scheme).map(|(_, locate)| *locate)
}

fn scheme(text: &str) -> String {
    text.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase()
}

/// Whether this is meant as the address of a table, and not as a file.
pub fn is_address(text: &str) -> bool {
    let scheme = scheme(text);
    Address::is_address(text) || OF_THE_CLUSTER.contains(&scheme.as_str()) || added(&scheme).is_some()
}

/// Where the table of this address is.
pub fn locate(text: &str) -> Result<Box<dyn Place>, EngineError> {
    let scheme = scheme(text);
    match added(&scheme) {
        Some(locate) => locate(text),
        None if OF_THE_CLUSTER.contains(&scheme.as_str()) => Err(EngineError::usage(
            "tables in DataFusion and on Ballista are counted by the binary lookalike-cluster (the folder cluster of the source); files in a folder, by naming the folder",
        )),
        None => Ok(Box::new(Address::parse(text)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nowhere(Vec<String>);

    impl Place for Nowhere {
        fn name(&self) -> &str {
            &self.0[0]
        }

        fn table(&self) -> &[String] {
            &self.0
        }

        fn opens(&self) -> (Vec<PathBuf>, Connections) {
            (Vec::new(), Connections::Anywhere)
        }

        fn open(&self, _: &Watch) -> Result<Box<dyn Engine>, EngineError> {
            Err(EngineError::usage("nowhere"))
        }
    }

    #[test]
    fn engines_are_added_by_the_scheme_of_their_addresses() {
        assert!(!is_address("nowhere:x") && !is_address("people.csv") && !is_address("c:/people.csv"));
        add("nowhere", |text| Ok(Box::new(Nowhere(vec![text.to_owned()]))));
        assert!(is_address("Nowhere:x"));
        assert_eq!(locate("nowhere:x").unwrap().name(), "nowhere:x");
        assert_eq!(locate("postgresql://h/d/t").unwrap().name(), "t");
    }

    #[test]
    fn what_the_cluster_opens_is_refused_by_name_elsewhere() {
        for address in ["ballista://h:50050/data/people", "datafusion:/data/people"] {
            assert!(is_address(address));
            let error = locate(address).err().unwrap().to_string();
            assert!(error.contains("lookalike-cluster"), "{error}");
        }
    }

    #[test]
    fn connections_add_up() {
        let (one, two) = (Connections::To(vec![1]), Connections::To(vec![2]));
        assert_eq!(one.clone().and(two), Connections::To(vec![1, 2]));
        assert_eq!(one.and(Connections::Anywhere), Connections::Anywhere);
    }
}
