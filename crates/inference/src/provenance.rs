//! How a release was made, and which rule is valid for it.

use privacy::LedgerRecord;
use privacy::ledger::ReleaseSize;
use synthesis::{Making, Recipe, RecordsCard};
use table::Schema;

use crate::{Estimand, Rule};

/// How a release was made: what its folder says.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The recipe.
    pub recipe: Recipe,
    /// The number of original records that the manifest states; a noisy one where the release is private. [`Provenance::known_original_rows`] says whether it is one.
    pub original_rows: u64,
    /// The ledger of a private release.
    pub ledger: Option<LedgerRecord>,
    /// The schema of the release, where its files were read with another.
    pub own_schema: Option<Schema>,
}

/// A rule and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The rule.
    pub rule: Rule,
    /// Why it is valid for this release.
    pub because: String,
}

impl Provenance {
    /// What the recipe's method says of its records; `None` where this version does not know the recipe.
    pub fn records_card(&self) -> Option<RecordsCard> {
        self.recipe.records_card().ok()
    }

    /// How the records were made, as far as it is known.
    pub fn making(&self) -> Option<Making> {
        self.records_card().map(|card| card.making)
    }

    /// Whether the model was raked to published totals.
    pub fn is_raked(&self) -> bool {
        self.records_card().is_some_and(|card| card.is_raked)
    }

    /// N. A private release that was given `rows` and not `records` took the one for the other and looked at no number of records: then N is not known.
    pub fn known_original_rows(&self) -> Option<u64> {
        let stated = self.recipe.privacy.as_ref().is_some_and(|privacy| privacy.records.is_some());
        let taken_from_rows = self.ledger.as_ref().is_some_and(|ledger| {
            matches!(ledger.release_size, ReleaseSize::Declared { records, .. } if self.recipe.rows == Some(records))
                && ledger.neighbours == privacy::Neighbours::AddRemove
        });
        (stated || !taken_from_rows).then_some(self.original_rows)
    }
}

/// The rule that is valid for a release of m files, and why.
pub fn valid_rule(making: Option<&Making>, estimand: &Estimand, m: usize) -> Choice {
    let choice = |rule: Rule, because: String| Choice { rule, because };
    match making {
        None if m == 1 => choice(
            Rule::Ts,
            "nothing says how the file was made; one file leaves only T_s, which supposes that every value is synthetic and \
             drawn from a model fitted once, without privacy noise"
                .into(),
        ),
        None => choice(
            Rule::Tp,
            "nothing says how the files were made; T_p measures what synthesis adds by the scatter of the files, and holds for complete, \
             proper and partial synthesis without privacy noise"
                .into(),
        ),
        Some(Making::PlainDraws) => choice(
            Rule::Ts,
            "every value is synthetic, and records were drawn from a model fitted once: given the original data a file is a plain sample"
                .into(),
        ),
        Some(Making::RandomCounts { sigma }) if m == 1 => choice(
            Rule::Ts,
            format!("one file leaves only T_s, which supposes sigma = 0; this release has sigma = {sigma}"),
        ),
        Some(Making::RandomCounts { sigma }) => choice(
            Rule::Tp,
            format!(
                "counts have variance mu + {sigma} mu^2, more than a plain sample's: T_p sees that in the scatter of the files, T_s does not"
            ),
        ),
        Some(Making::ProperDraws) => choice(
            Rule::Proper,
            "every value is synthetic, and each file has parameters drawn from their posterior".into(),
        ),
        Some(Making::PartlyKept { kept }) => {
            let kept = if kept.is_empty() {
                "all values are original but where the recipe says otherwise".into()
            } else {
                format!("{} kept the original values", kept.join(", "))
            };
            match m {
                1 => choice(Rule::Ts, format!("{kept}; one file leaves only T_s, which takes every value for a drawn one and so errs on the wide side")),
                _ => choice(Rule::Partial, kept),
            }
        }
        Some(Making::Perturbed) if m == 1 => choice(
            Rule::Ts,
            "the file holds the records of the data with some values changed; one file leaves only T_s, which takes every value for a drawn one \
             and so errs on the wide side"
                .into(),
        ),
        Some(Making::Perturbed) => choice(
            Rule::Partial,
            "the files hold the records of the data with some values changed: the scatter of the files is what the changes add".into(),
        ),
        Some(Making::StrongPrior) if estimand.is_of_shares() => choice(
            Rule::Posterior,
            "the release added a known prior to every cell; the posterior takes it out again".into(),
        ),
        Some(Making::StrongPrior) => choice(
            Rule::Bootstrap,
            "the release added a prior to every cell; for a mean or a model the release is made again from its own records".into(),
        ),
        Some(Making::KnownDeviation { sigma }) => choice(
            Rule::Ts,
            format!("every record is a draw of its own around the mean of the data, with the stated sigma = {sigma} for v: D = sigma^2/(n_syn m), S = sigma^2/N"),
        ),
        Some(Making::Settled { private: true }) => choice(
            Rule::Bootstrap,
            "records were moved until they agree with tables measured under noise, so that a file is no sample and its scatter shows neither the noise nor the moves; the release is made again with the noise of its ledger".into(),
        ),
        Some(Making::Settled { private: false }) => choice(
            Rule::Bootstrap,
            "records were moved until they agree with the tables of the original, so that a file is no sample and scatters less than one; the release is made again".into(),
        ),
        Some(Making::NoisyModel { .. }) => choice(
            Rule::Bootstrap,
            "all files share one model with privacy noise, which their scatter cannot show; the release is made again with the noise of its ledger".into(),
        ),
    }
}

/// Why a rule is not valid for a release of m files; empty where it is.
pub(crate) fn objections(rule: Rule, making: Option<&Making>, m: usize) -> Vec<String> {
    let mut objections = Vec::new();
    let plain = matches!(rule, Rule::Ts | Rule::Pooled);
    let combining = !matches!(rule, Rule::Posterior | Rule::Bootstrap);
    match making {
        Some(Making::PartlyKept { .. } | Making::Perturbed) if (plain && m > 1) || rule == Rule::Proper => objections.push(format!(
            "`{}` is not valid for this release: some values are the original ones, and it supposes that all are synthetic",
            rule.name()
        )),
        Some(Making::ProperDraws) if plain => objections.push(format!(
            "`{}` is too small for this release: parameters were drawn again for each file, which adds v n_syn/(N m); use `proper`",
            rule.name()
        )),
        Some(Making::Settled { .. }) if combining => objections.push(format!(
            "`{}` is not valid for this release: its records were moved to agree with tables, so that neither v nor b says how far an estimate may be off",
            rule.name()
        )),
        Some(Making::NoisyModel { .. }) if combining => objections.push(format!(
            "`{}` is not valid for this release: it is private, and its noise is the same in all files, so that neither v nor b holds it",
            rule.name()
        )),
        Some(Making::StrongPrior) if combining => objections.push(format!(
            "`{}` is not valid for this release: it is private by a prior that pulls every file alike towards equal shares, so that neither v nor b holds it",
            rule.name()
        )),
        Some(Making::StrongPrior) if rule == Rule::Bootstrap => objections.push(
            "the prior that makes this release private pulls every share towards equality; the bootstrap shows that bias from records that \
             have it already, and undoes only a part of it"
                .into(),
        ),
        Some(Making::PlainDraws | Making::RandomCounts { .. } | Making::KnownDeviation { .. }) if rule == Rule::Proper => objections.push(
            "`proper` is too wide for this release: no parameters were drawn".into(),
        ),
        _ => {}
    }
    if rule == Rule::Tf {
        objections.push(
            "`tf` is for samples of populations imputed from a Bayesian posterior predictive distribution, which no method of Lookalike \
             draws; elsewhere (1 + 1/m) b - v has no meaning and may be far too small"
                .into(),
        );
    }
    objections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(recipe: &str) -> Provenance {
        Provenance {
            recipe: Recipe::parse(recipe).unwrap(),
            original_rows: 100,
            ledger: None,
            own_schema: None,
        }
    }

    fn rule(recipe: &str, m: usize) -> Rule {
        valid_rule(made(recipe).making().as_ref(), &Estimand::parse("share(a)").unwrap(), m).rule
    }

    #[test]
    fn each_making_has_its_rule() {
        assert_eq!(rule("method = \"catall\"", 5), Rule::Ts);
        assert_eq!(rule("method = \"sequential\"", 1), Rule::Ts);
        assert_eq!(rule("method = \"sequential\"\n[options]\nproper = true", 5), Rule::Proper);
        let partial = "method = \"sequential\"\n[options]\nproper = true\n[variables.sex]\nmethod = \"keep\"";
        assert_eq!(rule(partial, 5), Rule::Partial);
        assert_eq!(made(partial).making(), Some(Making::PartlyKept { kept: vec!["sex".into()] }));
        assert_eq!(rule(partial, 1), Rule::Ts);
        let normal =
            "method = \"normal-release\"\n[options]\nvariable = \"a\"\nsigma = 2\n[privacy]\nrho = 1.0";
        assert_eq!(
            (rule(normal, 3), made(normal).making()),
            (Rule::Ts, Some(Making::KnownDeviation { sigma: 2.0 }))
        );
        assert_eq!(rule("method = \"saturated\"", 5), Rule::Tp);
        assert_eq!(made("method = \"saturated\"").making(), Some(Making::RandomCounts { sigma: 0.5 }));
        assert_eq!(rule("method = \"saturated\"", 1), Rule::Ts);
        assert_eq!(rule("method = \"saturated\"\n[options]\nfamily = \"poisson\"", 5), Rule::Ts);
        assert_eq!(rule("method = \"saturated\"\n[options]\nsigma = 0", 5), Rule::Ts);
        assert_eq!(rule("method = \"ipf\"\n[privacy]\nepsilon = 1.0", 5), Rule::Bootstrap);
        assert_eq!(rule("method = \"pairwise\"\n[privacy]\nepsilon = 1.0", 5), Rule::Bootstrap);
        assert_eq!(rule("method = \"pairwise\"", 1), Rule::Bootstrap);
        assert_eq!(rule("method = \"pairwise\"\n[options]\nrows = \"drawn\"", 1), Rule::Ts);
        assert_eq!(rule("method = \"dirichlet\"\n[privacy]\nepsilon = 1.0", 1), Rule::Posterior);
        let mean = Estimand::parse("mean(a)").unwrap();
        assert_eq!(valid_rule(Some(&Making::StrongPrior), &mean, 1).rule, Rule::Bootstrap);
        assert_eq!(valid_rule(None, &mean, 1).rule, Rule::Ts);
        assert_eq!(valid_rule(None, &mean, 2).rule, Rule::Tp);
    }

    #[test]
    fn the_valid_rule_is_never_objected_to_and_others_are() {
        let partial = Making::PartlyKept { kept: vec!["a".into()] };
        let noisy = Making::NoisyModel { on_every_cell: false };
        let share = Estimand::parse("share(a)").unwrap();
        for making in [
            Some(&Making::PlainDraws),
            Some(&Making::ProperDraws),
            Some(&partial),
            Some(&Making::StrongPrior),
            Some(&noisy),
            Some(&Making::Settled { private: true }),
            Some(&Making::Settled { private: false }),
            Some(&Making::KnownDeviation { sigma: 1.0 }),
            None,
        ] {
            for m in [1, 5] {
                let rule = valid_rule(making, &share, m).rule;
                assert_eq!(objections(rule, making, m), Vec::<String>::new(), "{making:?}");
            }
            assert!(!objections(Rule::Tf, making, 5).is_empty());
        }
        assert!(objections(Rule::Ts, Some(&partial), 5)[0].contains("some values are the original ones"));
        assert!(objections(Rule::Ts, Some(&Making::ProperDraws), 5)[0].contains("use `proper`"));
        assert!(objections(Rule::Tp, Some(&noisy), 5)[0].contains("noise is the same"));
        assert!(
            objections(Rule::Tp, Some(&Making::StrongPrior), 5)[0].contains("prior that pulls every file")
        );
        assert!(objections(Rule::Partial, Some(&Making::PlainDraws), 5).is_empty());
    }

    /// 20,000 rows stated, nothing said of N: the manifest holds the 20,000, which is no N.
    #[test]
    fn a_number_of_rows_is_no_number_of_records() {
        let of = |recipe: &str| {
            let recipe = Recipe::parse(recipe).unwrap();
            let schema = table::schema::SchemaFile::parse(
                "[table]\ndeclared = true\nreason = \"invented\"\n[variables.a]\nkind = \"categorical\"\nlevels = [\"x\", \"y\"]\n",
            );
            let options = table::read::ReadOptions { schema: Some(schema.unwrap()), ..Default::default() };
            let text = "a\n".to_owned() + &"x\ny\n".repeat(50);
            let table = table::read::read_csv_text(&text, &options).unwrap();
            let fitted = synthesis::fit(&table, &recipe, &synthesis::Run::replayed(1)).unwrap();
            let original_rows = fitted.original_rows() as u64;
            Provenance { recipe, original_rows, ledger: fitted.ledger().cloned(), own_schema: None }
        };
        let private = "[privacy]\nepsilon = 5.0\n";
        assert_eq!(of(&format!("method = \"catall\"\nrows = 20000\n{private}")).known_original_rows(), None);
        let stated = of(&format!("method = \"catall\"\nrows = 20000\n{private}records = 100\n"));
        assert_eq!(stated.known_original_rows(), Some(100));
        let noisy = of(&format!("method = \"catall\"\n{private}")).known_original_rows();
        assert!(noisy.is_some_and(|rows| rows.abs_diff(100) < 100), "{noisy:?}");
        let replaced = of(&format!("method = \"dirichlet\"\nrows = 30\n{private}"));
        assert_eq!(replaced.known_original_rows(), Some(100));
    }
}
