# The three attacks of anonymeter on the files that our side has made: 1,000 attacks each, inference of every variable.
import pandas
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

files = [pandas.read_csv(made(f"attacks_{name}.csv")) for name in ("original", "synthetic", "holdout")]
original, synthetic, holdout = files
columns = list(original.columns)


def attacks():
    for mode in ("univariate", "multivariate"):
        try:
            SinglingOutEvaluator(original, synthetic, n_attacks=1000, control=holdout).evaluate(mode=mode)
        except RuntimeError:
            pass
    halves = (columns[::2], columns[1::2])
    LinkabilityEvaluator(original, synthetic, aux_cols=halves, n_attacks=1000, control=holdout).evaluate(n_jobs=1)
    for secret in columns:
        aux = [column for column in columns if column != secret]
        InferenceEvaluator(
            original, synthetic, aux_cols=aux, secret=secret, n_attacks=1000, control=holdout
        ).evaluate(n_jobs=1)


emit(attacks, least=1)
