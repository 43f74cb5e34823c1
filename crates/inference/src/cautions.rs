//! What biases every estimate of a release, whatever the rule, as far as its recipe and its files show it.

use statistics::counts::CellDraws;
use synthesis::card::Needs;
use synthesis::records_card::{Effects, MeasuredCoverage};
use synthesis::{Making, RecordsCard, registry};
use table::figures::thousands;
use table::{Attributes, CodedTable, CountSource, Grouping, Schema, Table};

use crate::provenance::Provenance;
use crate::{Estimand, InferenceError, Rule};

/// From this share of the deviance on, predictors explain much of the outcome.
const MUCH: f64 = 0.4;

/// Tables that the margins of a model do not hold are named up to this many.
const NAMED: usize = 3;

/// What must be known of a release to read an answer from it.
pub(crate) fn cautions(
    provenance: &Provenance,
    estimand: &Estimand,
    rule: Rule,
    files: &[Table],
    original_rows: Option<u64>,
) -> Result<Vec<String>, InferenceError> {
    let records = provenance.records_card();
    let of = Of { provenance, records: records.as_ref(), estimand, files, original_rows };
    let mut cautions = Vec::new();
    cautions.extend(of.redrawn_numbers());
    cautions.extend(of.prior()?);
    cautions.extend(of.filled_cells());
    cautions.extend(of.what_the_model_leaves_out());
    cautions.extend(of.measured_coverage());
    cautions.extend(of.coverage_of_strong_effects());
    if records.as_ref().is_some_and(|records| records.is_raked) {
        cautions.push(
            "the model was raked to published totals: estimates are of the population of those totals, and for the raked margins the interval is wider than it need be"
                .into(),
        );
    }
    cautions.extend(of.strata(rule));
    cautions.extend(of.afterwards());
    Ok(cautions)
}

struct Of<'a> {
    provenance: &'a Provenance,
    records: Option<&'a RecordsCard>,
    estimand: &'a Estimand,
    files: &'a [Table],
    original_rows: Option<u64>,
}

impl Of<'_> {
    /// Methods of counts keep the class of a number and draw the number again within it.
    fn redrawn_numbers(&self) -> Option<String> {
        let recipe = &self.provenance.recipe;
        if matches!(self.records, Some(RecordsCard { making: Making::KnownDeviation { .. }, .. })) {
            let of_mean = matches!(self.estimand, Estimand::Mean { by, .. } if by.is_empty());
            return (!of_mean).then(|| {
                format!(
                    "`{}` models the mean of the data alone: shares and models are those of a normal distribution with the stated sigma",
                    recipe.method
                )
            });
        }
        let counts = registry::method(&recipe.method).is_ok_and(|method| method.card.needs == Needs::Counts);
        if !counts {
            return None;
        }
        let schema = self.files[0].schema();
        let numeric = |name: &&str| schema.variable(name).is_ok_and(|variable| variable.kind.is_numeric());
        let (by_value, by_class) = self.numbers(schema);
        let by_value: Vec<&str> = by_value.into_iter().filter(numeric).collect();
        if !by_value.is_empty() {
            let names = by_value.join(", ");
            return Some(if recipe.privacy.is_some() {
                format!(
                    "`{}` keeps only the class of a number and places the number within it by the rest of its record, without a look at the data, as if numbers were functions of normal variables: how {names} go \
                     together within classes is that supposition, and what it gets wrong is not in the interval (where it held, in a simulation of five classes, N = 2,000 and epsilon = 10, nominal 95 % intervals of slopes covered 88 % on average and 82 % at worst; docs/inference.md has \
                     more); ask for shares in the model's classes, or for a release with `cuts` where the records are",
                    recipe.method
                )
            } else {
                format!(
                    "`{}` keeps only the class of a number beside other variables and draws the number from all records of that class: relations of {names} within a class are \
                     lost, and what that changes is not in the interval; ask for shares in the model's classes, or for a release by `{}`",
                    recipe.method,
                    registry::default_method(false)
                )
            });
        }
        let elsewhere: Vec<&str> =
            by_class.into_iter().filter(numeric).filter(|name| !self.in_classes_of_the_model(name)).collect();
        (!elsewhere.is_empty()).then(|| {
            format!(
                "`{}` keeps only the class of a number, and {} is cut here where the model's classes are not: shares of parts of a class are redrawn ones, and their distance \
                 from the data's is not in the interval; use the cuts of the release's own schema",
                recipe.method,
                elsewhere.join(", ")
            )
        })
    }

    /// The variables that enter by their value, and those that enter by their class.
    fn numbers<'a>(&'a self, schema: &'a Schema) -> (Vec<&'a str>, Vec<&'a str>) {
        match self.estimand {
            Estimand::Model { formula, .. } => {
                let is_part_of_a_name =
                    |character: char| character.is_alphanumeric() || "._`".contains(character);
                let words = || formula.text().split(|character: char| !is_part_of_a_name(character));
                if words().any(|word| word == ".") {
                    (schema.variables().iter().map(|variable| variable.name.as_str()).collect(), Vec::new())
                } else {
                    (formula.variables(), Vec::new())
                }
            }
            Estimand::Mean { of, by } | Estimand::Quantile { of, by, .. } => {
                (vec![of.as_str()], by.iter().map(String::as_str).collect())
            }
            Estimand::Share { .. } | Estimand::Table { .. } => (Vec::new(), self.estimand.variables()),
        }
    }

    /// Whether the cuts of a number in the files are cuts of the model too; classes that join some of the model's are as good.
    fn in_classes_of_the_model(&self, name: &str) -> bool {
        let asked = self.files[0].schema();
        let own = self.provenance.own_schema.as_ref().unwrap_or(asked);
        let cuts = |schema: &Schema| schema.variable(name).ok().and_then(|variable| variable.cuts.clone());
        match (cuts(asked), cuts(own)) {
            (Some(asked), Some(own)) => asked.iter().all(|cut| own.contains(cut)),
            _ => false,
        }
    }

    /// The uniform records of `nprior`, added in each stratum.
    fn prior(&self) -> Result<Option<String>, InferenceError> {
        let prior = self.records.map_or(0.0, |records| records.uniform_records);
        if prior == 0.0 {
            return Ok(None);
        }
        let strata = self.number_of_strata()?;
        let added = prior * strata as f64;
        let each = if strata > 1 { format!(" in each of {strata} strata") } else { String::new() };
        let share = self.original_rows.map_or_else(String::new, |rows| {
            format!("about {:.2} % of ", 100.0 * added / (rows as f64 + added))
        });
        Ok(Some(format!(
            "nprior = {prior}{each} makes {share}the records uniform over all cells: estimates lean towards that, and no rule takes it back"
        )))
    }

    fn number_of_strata(&self) -> Result<usize, InferenceError> {
        let recipe = &self.provenance.recipe;
        if recipe.strata.is_empty() {
            return Ok(1);
        }
        let grouping = Grouping::quantiles(recipe.groups as usize);
        let coded =
            CodedTable::over(&self.files[0], &grouping, |variable| recipe.strata.contains(&variable.name))?;
        Ok(coded.contingency_table(&Attributes::all(coded.domain()))?.counts().len().max(1))
    }

    /// The records of `alpha`, by the sizes of the files, which are random themselves.
    fn filled_cells(&self) -> Option<String> {
        let Some(CellDraws::Independent { family, alpha, scale, .. }) = self.records?.cells else {
            return None;
        };
        if alpha == 0.0 {
            return None;
        }
        let sizes: Vec<f64> = self.files.iter().map(|file| file.rows() as f64).collect();
        let m = sizes.len() as f64;
        let mean = sizes.iter().sum::<f64>() / m;
        let squares: f64 = sizes.iter().map(|size| (size - mean).powi(2)).sum();
        let variance = match (family.sigma().value() > 0.0, sizes.len() > 1) {
            (false, _) => Some(mean),
            (true, true) => Some(squares / (m - 1.0)),
            (true, false) => None,
        };
        let share = match (self.original_rows, variance) {
            (Some(rows), Some(variance)) => {
                let expected = rows as f64 * scale;
                let share = 100.0 * (1.0 - expected / mean).max(0.0);
                let error = 100.0 * expected / mean * (variance / m).sqrt() / mean;
                format!(
                    "about {share:.2} % of the records (by the sizes of the files; standard error {error:.2} points)"
                )
            }
            _ => "a part of the records, which the size of one file cannot tell,".to_owned(),
        };
        Some(format!(
            "alpha fills empty cells: {share} are uniform over cells that were empty, and estimates lean towards that"
        ))
    }

    /// What the model does not know: where it holds known margins only as far as the question needs others, and by name.
    fn what_the_model_leaves_out(&self) -> Option<String> {
        let left_out = self.records?.leaves_out.as_ref()?;
        let Some(margins) = &self.records?.margins else {
            return Some(format!("{left_out} is estimated as the model has it"));
        };
        let asked = self.tables_of_the_answer();
        let missing: Vec<String> =
            asked.iter().filter(|table| !margins.hold(table)).map(|table| table.join(" by ")).collect();
        let (first, rest) = missing.split_at(missing.len().min(NAMED));
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        (!missing.is_empty()).then(|| {
            format!("{left_out} is estimated as the model has it; here that is {}{more}", first.join(", "))
        })
    }

    /// The tables from which the answer can be computed: all variables together. A linear model without interactions needs only the tables of every two variables (its normal equations);
    /// another model without interactions the table of the predictors, and that of each with the response (its likelihood equations). Variables of strata are held with every margin.
    fn tables_of_the_answer(&self) -> Vec<Vec<&str>> {
        let strata = &self.provenance.recipe.strata;
        let is_free = |name: &&str| !strata.iter().any(|by| by == name);
        let Estimand::Model { formula, family } = self.estimand else {
            return vec![self.estimand.variables().into_iter().filter(is_free).collect()];
        };
        let names: Vec<&str> = self.numbers(self.files[0].schema()).0.into_iter().filter(is_free).collect();
        let text = formula.text();
        if text.contains([':', '*', '^']) || text.contains("I(") {
            return vec![names];
        }
        let pairs = |left: usize| (left + 1..names.len()).map(move |right| (left, right));
        let pair = |(left, right): (usize, usize)| vec![names[left], names[right]];
        match family {
            models::ModelFamily::Gaussian => (0..names.len()).flat_map(pairs).map(pair).collect(),
            _ => {
                let predictors = names.get(1..).unwrap_or_default().to_vec();
                (1..names.len()).map(|at| vec![names[0], names[at]]).chain([predictors]).collect()
            }
        }
    }

    /// The measured design with such effects that is most like the release, and the columns of the release.
    fn design_most_like(&self, effects: Effects) -> Option<(MeasuredCoverage, usize)> {
        let schema = self.provenance.own_schema.as_ref().unwrap_or_else(|| self.files[0].schema());
        let columns = schema.variables().iter().filter(|variable| variable.is_modelled()).count();
        let measured = self.records?.coverage;
        let found =
            MeasuredCoverage::nearest(measured, effects, columns, self.original_rows?, self.files.len())?;
        Some((found, columns))
    }

    /// The same for models whose predictors explain much of the outcome together.
    fn coverage_of_strong_effects(&self) -> Option<String> {
        let Estimand::Model { formula, family } = self.estimand else { return None };
        let (found, columns) = self.design_most_like(Effects::Strong)?;
        if !found.fails() {
            return None;
        }
        let outcome = formula.to_string();
        let constant = models::Formula::parse(&format!("{} ~ 1", outcome.split('~').next()?.trim())).ok()?;
        let deviance = |formula| Some(models::fit(&self.files[0], formula, *family).ok()?.deviance);
        let explained = 1.0 - deviance(formula)? / deviance(&constant)?;
        (explained > MUCH).then(|| {
            format!(
                "slopes may be too flat: the predictors explain {:.0} % of the outcome together, this release has {columns} columns, and in a simulation of {} columns with strong effects, N = {} and m = {} \
                 ({} replications) nominal 95 % intervals after these settings covered {:.1} % on average and {:.1} % at worst",
                100.0 * explained,
                found.columns,
                thousands(found.records),
                found.m,
                found.replications,
                found.mean,
                found.worst
            )
        })
    }

    /// What simulations with designs like the release's found, where intervals of models fail there.
    fn measured_coverage(&self) -> Option<String> {
        let Estimand::Model { .. } = self.estimand else { return None };
        let (found, columns) = self.design_most_like(Effects::Weak)?;
        found.fails().then(|| {
            format!(
                "weak associations may be left out: this release has {columns} columns, and in a simulation of {} columns with weak effects, N = {} and m = {} ({} replications) \
                 nominal 95 % intervals after these settings covered {:.1} % on average and {:.1} % at worst; ask for a release with the method's usual settings",
                found.columns,
                thousands(found.records),
                found.m,
                found.replications,
                found.mean,
                found.worst
            )
        })
    }

    /// Strata keep their numbers of records: nothing is drawn where only they are asked for.
    fn strata(&self, rule: Rule) -> Option<String> {
        let recipe = &self.provenance.recipe;
        let supposes_draws = matches!(rule, Rule::Ts | Rule::Pooled | Rule::Proper);
        let of_strata = self.estimand.is_of_shares()
            && self.estimand.variables().iter().all(|name| recipe.strata.iter().any(|by| by == name));
        (supposes_draws && of_strata && recipe.privacy.is_none()).then(|| {
            "strata keep their shares of the records, so that synthesis adds nothing to these shares: the interval is wider than it need be".into()
        })
    }

    fn afterwards(&self) -> Vec<String> {
        let after = &self.provenance.recipe.after;
        let mut cautions = Vec::new();
        let touched: Vec<&str> = self
            .estimand
            .variables()
            .into_iter()
            .filter(|name| after.top.contains_key(*name) || after.bottom.contains_key(*name))
            .collect();
        if !touched.is_empty() {
            cautions.push(format!(
                "top or bottom coding after synthesis cut the tails of {}",
                touched.join(", ")
            ));
        }
        if after.remove_replicated_uniques {
            cautions.push(
                "replicated uniques were removed after synthesis: rare combinations are estimated too low"
                    .into(),
            );
        }
        cautions
    }
}

#[cfg(test)]
mod tests {
    use synthesis::Recipe;
    use table::read::{ReadOptions, read_csv_text};
    use table::schema::SchemaFile;

    use super::*;

    const SCHEMA: &str = "[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n\
        [variables.b]\nkind = \"integer\"\nrange = [0, 100]\ncuts = [0, 10, 50, 100]\n";

    /// 110 records.
    fn file(schema: &str) -> Table {
        let text = "a,b\n".to_owned() + &"x,3\ny,70\n".repeat(55);
        let schema = Some(SchemaFile::parse(schema).unwrap());
        read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap()
    }

    fn made(recipe: &str) -> Provenance {
        let recipe = Recipe::parse(recipe).unwrap();
        Provenance { recipe, original_rows: 7, ledger: None, own_schema: None }
    }

    fn told(recipe: &str, what: &str, rule: Rule) -> String {
        let estimand = if what.contains('~') {
            let formula = models::Formula::parse(what).unwrap();
            Estimand::Model { formula, family: models::ModelFamily::Gaussian }
        } else {
            Estimand::parse(what).unwrap()
        };
        cautions(&made(recipe), &estimand, rule, &[file(SCHEMA)], Some(100)).unwrap().join("; ")
    }

    #[test]
    fn what_biases_is_said_with_its_size() {
        let of = |recipe: &str| told(recipe, "share(a)", Rule::Ts);
        // 25/(100 + 25) by the N that is asked with, not the manifest's.
        assert!(of("method = \"catall\"\n[options]\nnprior = 25").contains("20.00 %"));
        assert!(of("method = \"ipf\"\n[options]\nnprior = 25").contains("20.00 %"));
        assert!(
            of("method = \"catall\"\n[options]\nnprior = 25\n[privacy]\nepsilon = 1.0").contains("20.00 %")
        );
        assert!(of("method = \"catall\"").is_empty());
        // Two strata, each with its own prior: 50/(100 + 50).
        let strata =
            told("method = \"catall\"\nstrata = [\"a\"]\n[options]\nnprior = 25", "share(b)", Rule::Ts);
        assert!(strata.contains("33.33 %") && strata.contains("2 strata"), "{strata}");
        let poisson = of("method = \"saturated\"\n[options]\nfamily = \"poisson\"\nalpha = 0.1");
        // 1 − 100/110, and 100/110 · √110/110.
        assert!(poisson.contains("9.09 %") && poisson.contains("error 8.67"), "{poisson}");
        let one = of("method = \"saturated\"\n[options]\nalpha = 0.1");
        assert!(one.contains("the size of one file cannot tell"), "{one}");
        assert!(of("method = \"sequential\"\n[after.top]\na = 3.0").contains("tails of a"));
        assert!(of("method = \"sequential\"\n[after.top]\nb = 3.0").is_empty());
    }

    #[test]
    fn numbers_of_count_methods_are_redrawn_ones() {
        for method in ["catall", "ipf", "saturated", "dirichlet"] {
            let recipe = format!("method = \"{method}\"");
            assert!(told(&recipe, "mean(b)", Rule::Ts).contains("keeps only the class"), "{method}");
            assert!(told(&recipe, "a ~ b", Rule::Ts).contains("keeps only the class"), "{method}");
            assert!(told(&recipe, "a ~ .", Rule::Ts).contains("of b"), "{method}");
            assert!(!told(&recipe, "share(b) by a", Rule::Ts).contains("keeps only the class"), "{method}");
        }
        assert!(!told("method = \"sequential\"", "mean(b)", Rule::Ts).contains("keeps only the class"));
    }

    #[test]
    fn cuts_elsewhere_than_the_models_are_told() {
        let share = Estimand::parse("share(b)").unwrap();
        let with = |cuts: &str| {
            let own_schema = Some(file(SCHEMA).schema().clone());
            let provenance = Provenance { own_schema, ..made("method = \"catall\"") };
            let read = file(&SCHEMA.replace("[0, 10, 50, 100]", cuts));
            cautions(&provenance, &share, Rule::Ts, &[read], Some(100)).unwrap().join("; ")
        };
        assert!(with("[0, 20, 50, 100]").contains("use the cuts of the release's own schema"));
        assert!(with("[0, 50, 100]").is_empty(), "classes that join classes");
    }

    #[test]
    fn a_design_that_fails_is_told_with_its_numbers() {
        let names: Vec<String> = (0..15).map(|at| format!("x{at}")).collect();
        let line =
            |row: u32| (0..15).map(|at| (row * (at + 3) % 31).to_string()).collect::<Vec<_>>().join(",");
        let records: Vec<String> = (0..50).map(line).collect();
        let text = format!("{}\n{}\n", names.join(","), records.join("\n"));
        let file = read_csv_text(&text, &ReadOptions::default()).unwrap();
        let files = vec![file; 5];
        let told = |recipe: &str, what: Estimand| {
            cautions(&made(recipe), &what, Rule::Ts, &files, Some(2_000)).unwrap().join("; ")
        };
        let model = || Estimand::Model {
            formula: models::Formula::parse("x0 ~ x1 + x2").unwrap(),
            family: models::ModelFamily::Gaussian,
        };
        let plain = "method = \"sequential\"\n[options]\ntilt = false\n";
        let said = told(plain, model());
        assert!(
            said.contains("this release has 15 columns")
                && said.contains("16 columns with weak effects, N = 2,000"),
            "{said}"
        );
        assert_eq!(told(plain, Estimand::parse("mean(x0)").unwrap()), "");
        assert_eq!(told("method = \"sequential\"", model()), "", "the usual settings do not fail");
    }

    #[test]
    fn predictors_that_explain_much_in_a_wide_table_are_warned_of() {
        let names: Vec<String> = (0..15).map(|column| format!("x{column}")).collect();
        let row = |row: usize| {
            let cells: Vec<String> =
                (0..15).map(|column| ((row * (column + 3) * 7919) % 101).to_string()).collect();
            let outcome = (row * 4 * 7919) % 101 * 2 + row % 5;
            format!("{outcome},{}", cells[1..].join(","))
        };
        let text = format!("{}\n{}\n", names.join(","), (0..300).map(row).collect::<Vec<_>>().join("\n"));
        let files = vec![read_csv_text(&text, &ReadOptions::default()).unwrap(); 5];
        let told = |recipe: &str, formula: &str| {
            let formula = models::Formula::parse(formula).unwrap();
            let model = Estimand::Model { formula, family: models::ModelFamily::Gaussian };
            cautions(&made(recipe), &model, Rule::Ts, &files, Some(2_000)).unwrap().join("; ")
        };
        let without = "method = \"sequential\"\n[options]\nscores = false\n";
        let said = told(without, "x0 ~ x1 + x2");
        assert!(
            said.contains("slopes may be too flat") && said.contains("covered 83.6 % on average"),
            "{said}"
        );
        assert_eq!(told(without, "x0 ~ x2"), "");
    }

    #[test]
    fn margins_are_told_only_where_the_question_needs_others() {
        let schema = format!("{SCHEMA}[variables.c]\nkind = \"categorical\"\nlevels = [\"u\", \"v\"]\n");
        let text = "a,b,c\n".to_owned() + &"x,3,u\ny,70,v\n".repeat(55);
        let schema = Some(SchemaFile::parse(&schema).unwrap());
        let file = read_csv_text(&text, &ReadOptions { schema, ..ReadOptions::default() }).unwrap();
        let told = |recipe: &str, what: &str| {
            let estimand = match what.split_once('~') {
                Some((response, _)) => Estimand::Model {
                    formula: models::Formula::parse(what).unwrap(),
                    family: if response.trim() == "b" {
                        models::ModelFamily::Gaussian
                    } else {
                        models::ModelFamily::Logistic
                    },
                },
                None => Estimand::parse(what).unwrap(),
            };
            let told = cautions(&made(recipe), &estimand, Rule::Ts, std::slice::from_ref(&file), Some(100));
            let told = told.unwrap();
            told.into_iter().filter(|caution| caution.contains("the margins")).collect::<Vec<_>>().join("; ")
        };
        let ipf = |rest: &str| format!("method = \"ipf\"\n{rest}");
        assert_eq!(told(&ipf(""), "share(a) by c"), "", "a pair is held by default");
        assert_eq!(told(&ipf(""), "mean(b) by a"), "");
        let three = told(&ipf(""), "share(a) by b, c");
        assert!(three.ends_with("here that is a by b by c"), "{three}");
        assert_eq!(told(&ipf("[options]\nmargins = \"all3\""), "share(a) by b, c"), "");
        let named = ipf("[options]\nmargins = \"a:b, b:c\"");
        assert_eq!(told(&named, "table(a, b)"), "");
        assert_eq!(told(&named, "share(c)"), "");
        assert!(told(&named, "table(a, c)").ends_with("here that is a by c"));
        // Normal equations are made of pairs; a logit needs its predictors together, and an interaction everything.
        assert_eq!(told(&ipf(""), "b ~ a + c"), "");
        assert!(told(&named, "b ~ a + c").ends_with("here that is a by c"));
        assert!(told(&ipf(""), "b ~ a*c").ends_with("here that is b by a by c"));
        assert_eq!(told(&ipf(""), "a ~ b + c"), "");
        assert!(told(&ipf("[options]\nmargins = \"all1\""), "a ~ c").contains("here that is a by c"));
        // Margins are fitted within strata.
        assert_eq!(told(&ipf("strata = [\"c\"]"), "share(a) by b, c"), "");
    }

    #[test]
    fn what_a_model_leaves_out_is_told() {
        let of = |recipe: &str| told(recipe, "share(a)", Rule::Ts);
        assert!(of("method = \"graph\"").contains("is estimated as the model has it"));
        assert!(of("method = \"sequential\"").is_empty());
        assert!(of("method = \"sequential\"\n[variables.b]\npredictors = []").contains("b (predictors)"));
        assert!(of("method = \"sequential\"\n[variables.b]\nmethod = \"sample\"").contains("b (method"));
        assert!(of("method = \"sequential\"\n[options]\nexcept = [\"a\"]").contains("(except)"));
        assert!(of("method = \"ipf\"\n[options]\ntotals = \"t.csv\"").contains("raked to published totals"));
        let strata = "method = \"catall\"\nstrata = [\"a\"]";
        assert!(told(strata, "share(a)", Rule::Ts).contains("wider than it need be"));
        assert!(told(strata, "share(a)", Rule::Tp).is_empty(), "b shows that nothing was drawn");
        assert!(told(strata, "share(b)", Rule::Ts).is_empty());
    }
}
