//! Declared and learned domains are different types, and there is one door between them.

use std::sync::Arc;

use super::{Schema, Variable};
use crate::{Table, TableError};

/// A schema that a person declared public, with the reason; the domain may be published.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredSchema(Arc<Schema>);

/// A schema of which at least a part was read off the records and that nobody has declared public.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedSchema(Arc<Schema>);

impl Schema {
    /// The schema as what it is: declared by a person, or learned.
    pub fn reviewed(self) -> Result<DeclaredSchema, LearnedSchema> {
        let declared = self.declaration.is_some();
        let schema = Arc::new(self);
        if declared { Ok(DeclaredSchema(schema)) } else { Err(LearnedSchema(schema)) }
    }
}

impl DeclaredSchema {
    /// The schema itself.
    pub fn schema(&self) -> &Schema {
        &self.0
    }

    /// Why the domain may be taken as public.
    pub fn reason(&self) -> &str {
        self.0.declaration().unwrap_or_default()
    }

    /// The same schema with other domains of its variables, which were bought and may be published.
    pub fn with_domains(&self, domain: impl FnMut(&Variable) -> Variable) -> Result<Self, TableError> {
        let schema =
            Schema { variables: self.0.variables.iter().map(domain).collect(), ..Schema::clone(&self.0) };
        schema.check()?;
        Ok(Self(Arc::new(schema)))
    }
}

impl LearnedSchema {
    /// The schema itself.
    pub fn schema(&self) -> &Schema {
        &self.0
    }

    /// The one door from learned to declared. The reason goes into the ledger and the report, and may not be empty.
    pub(crate) fn declare_public(self, reason: &str) -> Result<DeclaredSchema, TableError> {
        if reason.trim().is_empty() {
            return Err(TableError::schema(
                "schema",
                "a declaration needs a reason why the domain is public",
            ));
        }
        let schema = Arc::unwrap_or_clone(self.0);
        Ok(DeclaredSchema(Arc::new(schema.with_declaration(Some(reason.trim().to_owned())))))
    }
}

impl Schema {
    /// The same schema, declared public for this reason.
    pub(crate) fn declared_because(self, reason: &str) -> Result<Self, TableError> {
        Ok(Arc::unwrap_or_clone(LearnedSchema(Arc::new(self)).declare_public(reason)?.0))
    }
}

impl Table {
    /// The same records under the same schema, declared public for this reason.
    pub fn declared_public(self, reason: &str) -> Result<Self, TableError> {
        let (schema, columns) = self.into_parts();
        let learned = LearnedSchema(schema).declare_public(reason)?;
        Self::new(learned.0, columns)
    }
}
