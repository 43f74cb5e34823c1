//! What a recipe cannot say is refused, by its key.

use std::fmt::Write;

use rstest::rstest;
use synthesis::generate;

use crate::{households, read, recipe, refusal};

#[rstest]
#[case(
    "[options]\nmethod = \"carts\"\n",
    "option `method`: there is no method `carts` of a variable; did you mean `cart`?"
)]
#[case("[options]\norder = \"random\"\n", "option `order`: it is `file`, `auto` or a list")]
#[case("[options]\nmin_bucket = 0\n", "option `min_bucket`")]
#[case("[options]\nmin_buckets = 3\n", "did you mean `min_bucket`?")]
#[case("[options]\ndepth = 101\n", "option `depth`: it must be between 1 and 100")]
#[case("[options]\nrisk = \"gini\"\n", "option `risk`")]
#[case("[options]\nmain_effects = 1\n", "option `main_effects`")]
#[case(
    "[variables.incom]\nmethod = \"cart\"\n",
    "option `variables.incom`: there is no variable `incom`; did you mean `income`?"
)]
#[case(
    "[variables.income]\nmethd = \"cart\"\n",
    "option `variables.income.methd`: `cart` has no such option; did you mean `method`?"
)]
#[case("[variables.income]\ntrees = 3\n", "option `variables.income.trees`: `cart` has no such option")]
#[case(
    "[variables.region]\nmethod = \"norm\"\n",
    "option `variables.region.method`: `norm` draws numbers, and `region` is categorical"
)]
#[case("[variables.income]\nmethod = \"polyreg\"\n", "draws categories, and `income` is a number")]
#[case("[variables.area]\nmethod = \"logreg\"\n", "draws one of two categories")]
#[case(
    "[variables.adults]\npredictors = [\"income\"]\n",
    "option `variables.adults.predictors`: `income` is not yet visited when `adults` is drawn"
)]
#[case("[options]\npredictors = \"best 0\"\n", "option `predictors`: it is `all`, `best N` with a number")]
#[case(
    "[options]\npredictors = [\"income\"]\n",
    "option `predictors`: it is `all` or `best N`; the predictors of one"
)]
#[case(
    "[variables.adults]\npredictors = \"some\"\n",
    "option `variables.adults.predictors`: it is `all`, `best N`"
)]
#[case(
    "[variables.adults]\nwithin = [\"income\"]\n",
    "option `variables.adults.within`: `income` is not yet visited"
)]
#[case(
    "[variables.adults]\nwithin = [\"regio\"]\n",
    "option `variables.adults.within`: there is no variable `regio`; did you mean `region`?"
)]
#[case("[variables.adults]\nmethod = \"nested\"\n", "`nested` needs a parent")]
#[case("[variables.adults]\nmethod = \"passive\"\n", "`passive` needs a `formula`")]
#[case(
    "[variables.adults]\nmethod = \"passive\"\nformula = \"income\"\n[variables.income]\nmethod = \"passive\"\nformula = \"adults\"\n",
    "needs itself, directly or through other formulas; break the circle"
)]
#[case("[variables.size]\nmethod = \"cart\"\n", "the schema has a formula for it")]
#[case("[variables.id]\nmethod = \"cart\"\n", "it is an identifier")]
#[case("[variables.adults]\nmethod = \"constant\"\nvalue = \"many\"\n", "option `variables.adults.value`")]
#[case("[variables.adults]\nmethod = \"constant\"\n", "`constant` needs a `value`")]
#[case(
    "[options]\nproper = true\n[variables.adults]\nmethod = \"quantile\"\n",
    "option `proper`: the parameters of `quantile` have no posterior"
)]
#[case(
    "[variables.adults]\nmethod = \"sample\"\nwith = [\"region\"]\n",
    "option `variables.adults.with`: `region` is drawn otherwise or earlier"
)]
#[case("[auxiliary.score]\nscore = [\"income\"]\n", "option `auxiliary.score`: give either")]
#[case("[auxiliary.score]\nscore = [\"incom\"]\nby = \"area\"\n", "option `auxiliary.score.score`")]
#[case("[auxiliary.score]\nscore = [\"income\"]\nby = \"adults\"\n", "`adults` is not categorical")]
#[case("[auxiliary.score]\nscore = [\"area = 'nowhere'\"]\nby = \"area\"\n", "has no level")]
#[case("strata = [\"area = 'nowhere'\"]\n", "has no level")]
#[case("[options]\ntrees = 30\n", "option `trees`: no variable is drawn by a method that has it")]
#[case("[options]\nsmoothing = \"none\"\nsmooth_above = 3\n", "option `smooth_above`: nothing is smoothed")]
#[case(
    "[options]\nmissing_method = \"norm\"\n",
    "option `missing_method`: `norm` does not decide between categories"
)]
#[case(
    "[variables.region]\nsmoothing = \"density\"\n",
    "option `variables.region.smoothing`: it is about numbers, and this variable is categorical"
)]
#[case(
    "[variables.income]\ntwo_stage = true\n",
    "option `variables.income.two_stage`: it is about categories"
)]
#[case(
    "[variables.income]\nsmoothing = \"none\"\nsmooth_above = 3\n",
    "option `variables.income.smooth_above`: nothing is smoothed"
)]
#[case(
    "[variables.area]\nfirst_stage = \"cart\"\n",
    "option `variables.area.first_stage`: there is one stage"
)]
#[case("[after.top]\nincome = 1\n[after.bottom]\nincome = 2\n", "option `after.bottom.income`: it is above")]
fn what_makes_no_sense_is_refused_by_its_key(#[case] text: &str, #[case] expected: &str) {
    let error = refusal(&households(200), text);
    assert!(error.contains(expected), "{error}");
}

#[test]
fn a_rule_that_leaves_nothing_to_learn_is_refused() {
    let schema = "[variables.a]\nkind = \"integer\"\n[variables.b]\nkind = \"integer\"\nmissing = true\n[[rules]]\nwhen = \"a >= 0\"\nthen = \"b is missing\"\n";
    let error = refusal(&read(schema, "a,b\n1,\n2,\n3,\n"), "");
    assert!(
        error.contains("variable `b`: the rule `when a >= 0 then b is missing` fixes it in every record"),
        "{error}"
    );
}

#[test]
fn a_fit_that_fails_and_a_range_that_cannot_be_kept_name_the_variable() {
    let table = read("", "a,b\n-1,2\n2,3\n3,5\n");
    let error = refusal(&table, "[variables.b]\nmethod = \"lognorm\"\n[variables.a]\nmethod = \"lognorm\"\n");
    assert!(
        error.contains("variable `a`: it cannot be drawn by `lognorm`: some numbers are negative"),
        "{error}"
    );
    let error = refusal(&table, "[variables.b]\nmethod = \"passive\"\nformula = \"a + 100\"\n");
    assert!(error.contains("some records cannot keep the range of `b`, which is computed"), "{error}");
}

#[test]
fn names_of_people_are_not_copied() {
    let mut text = String::from("name,x\n");
    (0..100).for_each(|row| writeln!(text, "person {},{row}", row.min(97)).unwrap());
    assert_eq!(read("", &text).schema().variables()[0].kind, table::Kind::TextId);
    let mut text = String::from("number,sex\n");
    (0..100).for_each(|row| writeln!(text, "{row},{}", row % 2).unwrap());
    let made = generate(&read("", &text), &recipe("")).unwrap();
    assert!(
        made.remarks.iter().any(|remark| remark.contains("because they name units: `number`")),
        "{:?}",
        made.remarks
    );
}
