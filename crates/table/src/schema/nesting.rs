//! Which parent each level of a nested variable has: declared, or read off the records.

use indexmap::IndexMap;

use super::{Origin, Schema};
use crate::{Column, Table};

impl Table {
    /// The first parent that each level of a nested variable occurs under, by the codes of both.
    pub(super) fn parents_in_records(&self, child: usize, parent: usize) -> Vec<Option<u32>> {
        let levels = self.schema().variables()[child].kind.levels().map_or(0, |levels| levels.len());
        let mut parent_of: Vec<Option<u32>> = vec![None; levels];
        if let (Column::Categorical(children), Column::Categorical(parents)) =
            (&self.columns()[child], &self.columns()[parent])
        {
            for (child, parent) in children.iter().zip(parents.iter()) {
                if let Some(known) = parent_of.get_mut(child as usize) {
                    known.get_or_insert(parent);
                }
            }
        }
        parent_of
    }

    /// The schema with the parents of nested variables read off the records where none are declared, and marked as learned; for
    /// drafts. A level that never occurs gets the first level of the parent, for the reviewer to correct.
    pub fn schema_with_parents(&self) -> Schema {
        let mut schema = self.schema().clone();
        for child in 0..schema.variables.len() {
            let variable = &schema.variables[child];
            let parent = variable.within.as_deref().and_then(|parent| schema.position(parent));
            let (Some(parent), true) = (parent, variable.parents.is_empty()) else { continue };
            let (Some(levels), Some(above)) =
                (variable.kind.levels(), schema.variables[parent].kind.levels())
            else {
                continue;
            };
            let found = self.parents_in_records(child, parent);
            let pair = |(level, parent): (&str, Option<u32>)| {
                let parent = parent.and_then(|parent| above.get(parent)).or_else(|| above.get(0));
                (level.to_owned(), parent.unwrap_or_default().to_owned())
            };
            let parents: IndexMap<String, String> = levels.iter().zip(found).map(pair).collect();
            schema.variables[child].parents = parents;
            schema.variables[child].origin = Origin::Learned;
        }
        schema
    }
}

impl Schema {
    /// The declared parent of each level of a nested variable, as codes of both; `None` where parents are not declared.
    pub fn declared_parents(&self, child: usize) -> Option<Vec<u32>> {
        let variable = &self.variables[child];
        let above = self.variable(variable.within.as_deref()?).ok()?.kind.levels()?;
        let parent = |level: &str| above.position(variable.parents.get(level)?);
        variable.kind.levels()?.iter().map(parent).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::read::{ReadOptions, read_csv_text};
    use crate::schema::SchemaFile;

    const NESTED: &str = "[variables.occ1]\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n\
        [variables.occ2]\nkind = \"categorical\"\nlevels = [\"a1\", \"b1\", \"b2\"]\nwithin = \"occ1\"\n";

    fn read(schema: &str, text: &str) -> Result<crate::Table, crate::TableError> {
        let options = ReadOptions { schema: Some(SchemaFile::parse(schema)?), ..ReadOptions::default() };
        read_csv_text(text, &options)
    }

    #[test]
    fn parents_are_drafted_from_records_and_then_hold_for_records() {
        let table = read(NESTED, "occ1,occ2\na,a1\nb,b1\n").unwrap();
        let draft = table.schema_with_parents();
        assert_eq!(draft.declared_parents(1), Some(vec![0, 1, 0]));
        let text = draft.to_toml();
        assert!(text.contains("domain = \"learned\""), "{text}");
        assert_eq!(SchemaFile::parse(&text).unwrap().finish().unwrap(), draft);
        let error = read(&text, "occ1,occ2\nb,a1\n").unwrap_err().to_string();
        assert!(error.contains("occ2") && error.contains("occ1"), "{error}");
    }

    #[test]
    fn wrong_parents_are_refused() {
        let with = |parents: &str| {
            SchemaFile::parse(&format!("{NESTED}parents = {parents}\n"))
                .unwrap()
                .finish()
                .unwrap_err()
                .to_string()
        };
        assert!(with("{ a1 = \"a\" }").contains("leaves out the level 'b1'"));
        assert!(with("{ a9 = \"a\" }").contains("not one of its levels"));
        assert!(with("{ a1 = \"c\" }").contains("not a level of `occ1`"));
        let alone = "[variables.x]\nkind = \"categorical\"\nlevels = [\"a\"]\nparents = { a = \"a\" }\n";
        assert!(
            SchemaFile::parse(alone).unwrap().finish().unwrap_err().to_string().contains("needs `within`")
        );
    }
}
