"""A private version from a polars frame. The notebook of the same name is made from this file by examples/python/notebooks.py."""

# %% [markdown]
# # A private version from a polars frame
#
# The guarantee holds for whatever an intruder knows; it is paid for, and the ledger says on what.

# %%
import random

import polars as pl

import lookalike as ll

chance = random.Random(7)
people = pl.DataFrame(
    {
        "sex": [chance.choice(["F", "M"]) for _ in range(5000)],
        "age": [chance.randint(16, 90) for _ in range(5000)],
        "smokes": [chance.choices(["no", "yes", None], [70, 25, 5])[0] for _ in range(5000)],
    }
)
people.head()

# %% [markdown]
# A domain that is read off the records is itself a leak, so that a private fit without a declared schema is refused, with the way out:

# %%
try:
    ll.Usual(epsilon=1.0).fit(people)
except ll.SchemaNotDeclared as refused:
    print(refused)

# %%
schema = ll.Schema.draft(people)
schema = schema.edit("age", range=[0, 120], cuts=[0, 18, 30, 45, 65, 120])
schema = schema.declare(reason="the questionnaire, which is public")
schema

# %% [markdown]
# What would be spent on what, before anything is spent:

# %%
method = ll.Usual(epsilon=1.0)
method.spending(people, schema=schema)

# %%
method.fit(people, schema=schema)
synthetic = method.sample()
synthetic.head()

# %%
method.ledger_

# %% [markdown]
# Data sets cost nothing more, and conclusions take the noise into account:

# %%
ll.fit(None, synthetic, model=method, estimates=["share(smokes) by sex"])
