"""A first release from a pandas frame. The notebook of the same name is made from this file by examples/python/notebooks.py."""

# %% [markdown]
# # A first release from a pandas frame
#
# An invented town: 1,000 people, an identifier, a few answers. Nothing here is real.

# %%
import random
import tempfile
from pathlib import Path

import pandas as pd

import lookalike as ll

chance = random.Random(1901)
people = pd.DataFrame(
    {
        "person": [f"{number:06}" for number in chance.sample(range(10**6), 1000)],
        "sex": pd.Categorical([chance.choice(["female", "male"]) for _ in range(1000)]),
        "age": [chance.randint(16, 90) for _ in range(1000)],
        "town": pd.Categorical(chance.choices(["Leith", "Portobello", "Corstorphine"], [5, 3, 2], k=1000)),
    }
)
people["income"] = [round(chance.lognormvariate(6 + 0.01 * age, 0.4)) for age in people["age"]]
people.head()

# %% [markdown]
# ## What is this table, and what is risky about it?

# %%
ll.describe(people, keys=["sex", "age", "town"])

# %% [markdown]
# ## A synthetic version
#
# Identifiers are made new; the frame that comes out has the types of the one that went in.

# %%
model = ll.Usual(seed=1).fit(people)
synthetic = model.sample()
print(model.copies_, "records equal a unique original one")
synthetic.head()

# %%
found = ll.measure(people, synthetic, keys=["sex", "age", "town"], only=["tables", "uniques", "attribute"])
found

# %% [markdown]
# ## The release
#
# A release needs a schema that a person declares, and limits that it must keep. Here the ranges come from the code book of the invented town.

# %%
schema = ll.Schema.draft(people)
schema = schema.edit("age", range=[16, 90]).edit("income", range=[0, 10_000])
schema = schema.declare(reason="the code book of the invented town")
out = Path(tempfile.mkdtemp()) / "release"
released = ll.release(
    people,
    out,
    method=ll.Sequential(),
    schema=schema,
    accepted_by="the board of the invented town",
    limits=["attribute.disco <= 60"],
    keys=["sex", "age", "town"],
    only=["tables", "uniques", "attribute"],
)
released

# %%
assert released.verify()
sorted(path.name for path in out.iterdir())
