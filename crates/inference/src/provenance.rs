//! How a release was made, and which rule is valid for it.

use privacy::LedgerRecord;
use synthesis::Recipe;

use crate::{Estimand, Rule};

/// How a release was made: what its folder says.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The recipe.
    pub recipe: Recipe,
    /// N: the number of original records that the manifest tells; a noisy one where the release is private.
    pub original_rows: u64,
    /// The books of a private release.
    pub ledger: Option<LedgerRecord>,
}

/// What matters of the making for inference.
#[derive(Clone, Debug, PartialEq)]
pub enum Making {
    /// Nothing is known.
    Unknown,
    /// Records were drawn from a model that was fitted once: the variance of a plain sample.
    PlainDraws,
    /// Counts were drawn cell by cell with variance μ + σμ².
    Counts {
        /// σ, above zero.
        sigma: f64,
    },
    /// The parameters of the model were drawn anew for each file.
    Proper,
    /// These variables are the original ones; all of them if none is named.
    Partial {
        /// The variables that were kept.
        kept: Vec<String>,
    },
    /// Private draws under a strong prior.
    Dirichlet,
    /// A model of noisy answers, which all files share.
    NoisyModel,
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
    /// What matters of the making.
    pub fn making(&self) -> Making {
        let recipe = &self.recipe;
        if recipe.privacy.is_some() {
            return if recipe.method == "dirichlet" { Making::Dirichlet } else { Making::NoisyModel };
        }
        match recipe.method.as_str() {
            "saturated" => match self.sigma() {
                0.0 => Making::PlainDraws,
                sigma => Making::Counts { sigma },
            },
            "sequential" => {
                let kept = self.kept();
                let everything_kept =
                    recipe.options.get("method").and_then(toml::Value::as_str) == Some("keep");
                let proper = recipe.options.get("proper").and_then(toml::Value::as_bool).unwrap_or(false);
                if !kept.is_empty() || everything_kept {
                    Making::Partial { kept }
                } else if proper {
                    Making::Proper
                } else {
                    Making::PlainDraws
                }
            }
            _ => Making::PlainDraws,
        }
    }

    /// The dispersion of a saturated count model; 0 for Poisson counts and for other methods.
    pub fn sigma(&self) -> f64 {
        let options = &self.recipe.options;
        let poisson = options.get("family").and_then(toml::Value::as_str) == Some("poisson");
        if self.recipe.method != "saturated" || poisson { 0.0 } else { self.number("sigma").unwrap_or(0.5) }
    }

    /// An option of the method that is a number.
    fn number(&self, name: &str) -> Option<f64> {
        let value = self.recipe.options.get(name)?;
        value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
    }

    fn kept(&self) -> Vec<String> {
        let is_kept =
            |section: &toml::Value| section.get("method").and_then(toml::Value::as_str) == Some("keep");
        let kept = self.recipe.variables.iter().filter(|(_, section)| is_kept(section));
        kept.map(|(name, _)| name.clone()).collect()
    }

    /// What biases every estimate of this release, whatever the rule; `mean_rows` is the mean size of its files.
    pub fn cautions(&self, estimand: &Estimand, mean_rows: f64) -> Vec<String> {
        let recipe = &self.recipe;
        let mut cautions = Vec::new();
        let rows = self.original_rows as f64;
        let prior = self.number("nprior").filter(|prior| *prior > 0.0 && recipe.method == "catall");
        if let Some(prior) = prior.filter(|_| recipe.privacy.is_none()) {
            cautions.push(format!(
                "nprior = {prior} makes {:.2} % of the records uniform over all cells: estimates lean towards that, and no rule \
                 takes it back",
                100.0 * prior / (rows + prior)
            ));
        }
        if recipe.method == "saturated" && self.number("alpha").is_some_and(|alpha| alpha > 0.0) {
            let expected = rows * self.number("scale").unwrap_or(1.0);
            let share = (1.0 - expected / mean_rows).max(0.0);
            cautions.push(format!(
                "alpha fills empty cells: about {:.2} % of the records (by the size of the files) are uniform over cells that were empty, and estimates lean \
                 towards that",
                100.0 * share
            ));
        }
        if recipe.method == "ipf" {
            cautions.push(
                "the model knows the margins it was given; what they do not hold, such as interactions of more variables, is estimated as the model has it"
                    .into(),
            );
        }
        let touched: Vec<&str> = estimand
            .variables()
            .into_iter()
            .filter(|name| recipe.after.top.contains_key(*name) || recipe.after.bottom.contains_key(*name))
            .collect();
        if !touched.is_empty() {
            cautions.push(format!(
                "top or bottom coding after synthesis cut the tails of {}",
                touched.join(", ")
            ));
        }
        if recipe.after.remove_replicated_uniques {
            cautions.push(
                "replicated uniques were removed after synthesis: rare combinations are estimated too low"
                    .into(),
            );
        }
        cautions
    }
}

/// The rule that is valid for a release of m files, and why.
pub fn valid_rule(making: &Making, estimand: &Estimand, m: usize) -> Choice {
    let choice = |rule: Rule, because: String| Choice { rule, because };
    match making {
        Making::Unknown if m == 1 => choice(
            Rule::Ts,
            "nothing says how the file was made; one file leaves only T_s, which supposes that every value is synthetic and \
             drawn from a model fitted once, without privacy noise"
                .into(),
        ),
        Making::Unknown => choice(
            Rule::Tp,
            "nothing says how the files were made; T_p measures what synthesis adds by the scatter of the files, and holds for complete, \
             proper and partial synthesis without privacy noise"
                .into(),
        ),
        Making::PlainDraws => choice(
            Rule::Ts,
            "every value is synthetic, and records were drawn from a model fitted once: given the original data a file is a plain sample"
                .into(),
        ),
        Making::Counts { sigma } if m == 1 => choice(
            Rule::Ts,
            format!("one file leaves only T_s, which supposes sigma = 0; this release has sigma = {sigma}"),
        ),
        Making::Counts { sigma } => choice(
            Rule::Tp,
            format!(
                "counts have variance mu + {sigma} mu^2, more than a plain sample's: T_p sees that in the scatter of the files, T_s does not"
            ),
        ),
        Making::Proper => choice(
            Rule::Proper,
            "every value is synthetic, and each file has parameters drawn from their posterior".into(),
        ),
        Making::Partial { kept } => choice(
            Rule::Partial,
            if kept.is_empty() {
                "all values are original but where the recipe says otherwise".into()
            } else {
                format!("{} kept the original values", kept.join(", "))
            },
        ),
        Making::Dirichlet if estimand.is_of_shares() => choice(
            Rule::Posterior,
            "the release added a known prior to every cell; the posterior takes it out again".into(),
        ),
        Making::Dirichlet => choice(
            Rule::Bootstrap,
            "the release added a prior to every cell; for a mean or a model the release is made again from its own records".into(),
        ),
        Making::NoisyModel => choice(
            Rule::Bootstrap,
            "all files share one model with privacy noise, which their scatter cannot show; the release is made again with the noise of its ledger".into(),
        ),
    }
}

/// Why a rule is not valid for a release; empty where it is.
pub fn objections(rule: Rule, making: &Making, sizes_differ_from_original: bool) -> Vec<String> {
    let mut objections = Vec::new();
    let plain = matches!(rule, Rule::Ts | Rule::Pooled);
    let combining = !matches!(rule, Rule::Posterior | Rule::Bootstrap);
    match making {
        Making::Partial { .. } if plain || rule == Rule::Proper => objections.push(format!(
            "`{}` is not valid for this release: some values are the original ones, and it supposes that all are synthetic",
            rule.name()
        )),
        Making::Proper if plain => objections.push(format!(
            "`{}` is too small for this release: parameters were drawn anew for each file, which adds v n_syn/(N m); use `proper`",
            rule.name()
        )),
        Making::Dirichlet | Making::NoisyModel if combining => objections.push(format!(
            "`{}` is not valid for this release: it is private, and its noise is the same in all files, so that neither v nor b holds it",
            rule.name()
        )),
        Making::Dirichlet if rule == Rule::Bootstrap => objections.push(
            "the prior that makes this release private pulls every share towards equality; the bootstrap shows that bias from records that \
             have it already, and undoes only a part of it"
                .into(),
        ),
        Making::PlainDraws | Making::Counts { .. } if rule == Rule::Proper => objections.push(
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
    if rule == Rule::Partial && !matches!(making, Making::Partial { .. }) && sizes_differ_from_original {
        objections.push(
            "`partial` supposes files of N records, and these are of another size: its v is not the original's; use `tp`".into(),
        );
    }
    objections
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(recipe: &str) -> Provenance {
        Provenance { recipe: Recipe::parse(recipe).unwrap(), original_rows: 100, ledger: None }
    }

    fn rule(recipe: &str, m: usize) -> Rule {
        valid_rule(&made(recipe).making(), &Estimand::parse("share(a)").unwrap(), m).rule
    }

    #[test]
    fn each_making_has_its_rule() {
        assert_eq!(rule("method = \"catall\"", 5), Rule::Ts);
        assert_eq!(rule("method = \"sequential\"", 1), Rule::Ts);
        assert_eq!(rule("method = \"sequential\"\n[options]\nproper = true", 5), Rule::Proper);
        let partial = "method = \"sequential\"\n[options]\nproper = true\n[variables.sex]\nmethod = \"keep\"";
        assert_eq!(rule(partial, 5), Rule::Partial);
        assert_eq!(made(partial).making(), Making::Partial { kept: vec!["sex".into()] });
        assert_eq!(rule("method = \"saturated\"", 5), Rule::Tp);
        assert_eq!(made("method = \"saturated\"").making(), Making::Counts { sigma: 0.5 });
        assert_eq!(rule("method = \"saturated\"", 1), Rule::Ts);
        assert_eq!(rule("method = \"saturated\"\n[options]\nfamily = \"poisson\"", 5), Rule::Ts);
        assert_eq!(rule("method = \"saturated\"\n[options]\nsigma = 0", 5), Rule::Ts);
        assert_eq!(rule("method = \"ipf\"\n[privacy]\nepsilon = 1.0", 5), Rule::Bootstrap);
        assert_eq!(rule("method = \"dirichlet\"\n[privacy]\nepsilon = 1.0", 1), Rule::Posterior);
        let mean = Estimand::parse("mean(a)").unwrap();
        assert_eq!(valid_rule(&Making::Dirichlet, &mean, 1).rule, Rule::Bootstrap);
        assert_eq!(valid_rule(&Making::Unknown, &mean, 1).rule, Rule::Ts);
        assert_eq!(valid_rule(&Making::Unknown, &mean, 2).rule, Rule::Tp);
    }

    #[test]
    fn the_valid_rule_is_never_objected_to_and_others_are() {
        let partial = Making::Partial { kept: vec!["a".into()] };
        let share = Estimand::parse("share(a)").unwrap();
        for making in [
            Making::PlainDraws,
            Making::Proper,
            partial.clone(),
            Making::Dirichlet,
            Making::NoisyModel,
            Making::Unknown,
        ] {
            for m in [1, 5] {
                let rule = valid_rule(&making, &share, m).rule;
                assert_eq!(objections(rule, &making, true), Vec::<String>::new(), "{making:?}");
            }
            assert!(!objections(Rule::Tf, &making, false).is_empty());
        }
        assert!(objections(Rule::Ts, &partial, false)[0].contains("some values are the original ones"));
        assert!(objections(Rule::Ts, &Making::Proper, false)[0].contains("use `proper`"));
        assert!(objections(Rule::Tp, &Making::NoisyModel, false)[0].contains("it is private"));
        assert!(objections(Rule::Partial, &Making::PlainDraws, true)[0].contains("use `tp`"));
        assert!(objections(Rule::Partial, &Making::PlainDraws, false).is_empty());
    }

    #[test]
    fn what_biases_is_said_with_its_size() {
        let share = Estimand::parse("share(a)").unwrap();
        let of = |recipe: &str| made(recipe).cautions(&share, 110.0).join("; ");
        assert!(of("method = \"catall\"\n[options]\nnprior = 25").contains("20.00 %"));
        assert!(of("method = \"catall\"").is_empty());
        assert!(of("method = \"saturated\"\n[options]\nalpha = 0.1").contains("9.09 %"));
        assert!(of("method = \"sequential\"\n[after.top]\na = 3.0").contains("tails of a"));
        assert!(of("method = \"sequential\"\n[after.top]\nb = 3.0").is_empty());
    }
}
