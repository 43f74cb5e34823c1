# Column shapes and column pair trends of the golden pair; `check` is the score of the column shapes.
import pandas
from sdmetrics.reports.single_table import QualityReport

original = pandas.read_csv(f"{sys.argv[2]}/golden/sd18_cart/original.csv")
synthetic = pandas.read_csv(f"{sys.argv[2]}/golden/sd18_cart/synthetic.csv")
kinds = {
    name: {"sdtype": "numerical" if pandas.api.types.is_numeric_dtype(original[name]) else "categorical"}
    for name in original.columns
}


def report():
    found = QualityReport()
    found.generate(original, synthetic, {"columns": kinds}, verbose=False)
    return found


emit(report, lambda found: float(found.get_properties()["Score"][0]))
