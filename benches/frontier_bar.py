"""Does a frontier recommend what an analyst would have taken? Every contestant that keeps the limits is made anew and measured by what the frontier's axes do not look at: how far 95 % intervals of the coefficients of regressions, and of the means of all
numbers, overlap with those of the original.

    python3 benches/frontier_bar.py LOOKALIKE FOLDER DATA [--schema FILE] [--limit LIMIT …] --model MODEL[:FAMILY] …

LOOKALIKE is an optimised binary; the frontier goes to FOLDER, which is as confidential as the data, and goes on there if it was interrupted. The value of a contestant is the mean over the models and the means of the mean overlap, over three data sets with fresh seeds. Said at
the end: the recommendation, the best of the synthetic contestants that keep the limits, and how far apart they are; then the same for every limit on the axis of risk that some contestant just keeps. Perturbed records (swapping and others) are never recommended and are listed apart.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

SEEDS = (101, 102, 103)


def value(findings, measure, **detail):
    found = [
        finding["value"]
        for finding in findings
        if finding["measure"] == measure and all(finding.get("detail", {}).get(key) == is_ for key, is_ in detail.items())
    ]
    return [one for one in found if one is not None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lookalike")
    parser.add_argument("folder", type=Path)
    parser.add_argument("data")
    parser.add_argument("--schema")
    parser.add_argument("--limit", action="append", default=[])
    parser.add_argument("--model", action="append", required=True)
    asked = parser.parse_args()
    read = ["--schema", asked.schema] if asked.schema else []

    def lookalike(*arguments):
        subprocess.run([asked.lookalike, *map(str, arguments), "--quiet"], check=True)

    limits = [part for limit in asked.limit for part in ("--limit", limit)]
    found = asked.folder / "found.json"
    lookalike("frontier", asked.data, *read, *limits, "--repeat", 1, "--out", asked.folder / "frontier", "--json", found, "--force")
    frontier = json.loads(found.read_text())
    models = [part for model in asked.model for part in ("--model", model.rpartition(":")[0] if ":" in model else model)]
    families = [part for model in asked.model for part in ("--family", model.rpartition(":")[2] if ":" in model else "gaussian")]

    def overlap(recipe):
        overlaps = []
        for seed in SEEDS:
            with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
                text = Path(folder) / "seeded.recipe.toml"
                text.write_text(recipe)
                out, told = Path(folder) / "release", Path(folder) / "told.json"
                lookalike("synth", asked.data, *read, "--recipe", text, "--seed", seed, "--out", out)
                files = sorted(out.glob("synthetic-*.csv"))
                lookalike("measure", asked.data, *files, *read, "--only", "model,interval", *models, *families, "--json", told)
                findings = json.loads(told.read_text())
                overlaps += value(findings, "model.overlap")
                overlaps += value(findings, "interval.mean_overlap", of="mean")
        return sum(overlaps) / len(overlaps)

    rows = []
    for contestant in frontier["contestants"]:
        origin, place = contestant["origin"], contestant.get("place")
        recipe = origin.get("recipe")
        if isinstance(recipe, dict):
            recipe = recipe["recipe"]
        # Private recipes take no seed and are left out: their errors are those of their budgets.
        if not recipe or not place or contestant["epsilon"] is not None:
            continue
        is_real = any(remark.startswith("these are the records of real units") for remark in contestant["remarks"])
        rows.append((overlap(recipe), contestant, is_real))
        kept = "" if place["acceptable"] else "  breaks a limit"
        print(f"{rows[-1][0]:.3f}  {contestant['name']}{kept}{'  perturbed records' if is_real else ''}", flush=True)

    def on(axis, contestant):
        found = contestant["values"][frontier["axes"].index(frontier[axis])]
        value = found["mean"] if found else float("inf")
        return -value if frontier[axis]["better"] == "higher" else value

    synthetic = [row for row in rows if not row[2]]
    keeping = [row for row in synthetic if row[1]["place"]["acceptable"]]
    recommended = [row for row in keeping if row[1]["name"] == frontier["recommendation"]["name"]]
    if not recommended:
        print(f"nothing is recommended: {frontier['recommendation']['reason']}")
    else:
        compare("as asked", recommended[0], keeping)
    # What would have been recommended under each limit on the axis of risk.
    for most in sorted({on("risk", row[1]) for row in synthetic}):
        keeping = [row for row in synthetic if on("risk", row[1]) <= most]
        compare(f"{frontier['risk']['measure']} <= {most:.2f}", min(keeping, key=lambda row: on("utility", row[1])), keeping)


def compare(limit, recommended, keeping):
    best = max(keeping, key=lambda row: row[0])
    print(f"{limit}: recommended {recommended[1]['name']} {recommended[0]:.3f}, best {best[1]['name']} {best[0]:.3f}, apart {best[0] - recommended[0]:.3f}", flush=True)


if __name__ == "__main__":
    main()
