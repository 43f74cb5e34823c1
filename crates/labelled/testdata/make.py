"""Invented records, written by pyreadstat (Python). Run in this folder: python make.py"""
import pandas as pd
import pyreadstat

people = pd.DataFrame({
    "city": ["Bern", "Zürich", "", "Bern"],
    "sex": [1.0, 2.0, 9.0, None],
    "hours": [40.0, 0.5, -1.0, 38.5],
    "grp": ["aa", "bb", "aa", "zz"],
})
labels = {"sex": {1: "male", 2: "female", 9: "no answer"}, "grp": {"aa": "first", "bb": "second", "zz": "unknown"}}
names = ["City", "Sex of the person", "Hours a week", "Group"]
pyreadstat.write_sav(people, "pyreadstat.sav", file_label="Invented", column_labels=names, variable_value_labels=labels,
                     missing_ranges={"sex": [9], "hours": [{"lo": -9, "hi": -1}, 99], "grp": ["zz"]},
                     variable_measure={"sex": "nominal", "hours": "scale", "grp": "ordinal", "city": "nominal"})
pyreadstat.write_dta(people, "pyreadstat.dta", file_label="Invented", column_labels=names, version=15,
                     variable_value_labels={"sex": labels["sex"]})
pyreadstat.write_xport(people, "pyreadstat.xpt", column_labels=names, table_name="INV")
