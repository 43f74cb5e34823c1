"""One class a method, written by python/generate_methods.py from the methods' cards. Do not edit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from ._base import Option, Synthesizer


class Sequential(Synthesizer):
    """Draws one variable after the other, each from its distribution given those before it, by default by CART.

    Use it when nothing speaks against it: the best general choice for mixed data.

    Options, None for what is usual:

        method: the method of variables of which [variables.NAME] says nothing else [cart]
        order: in which order variables are visited: `file`, `auto` (by size and dependence), or a list of those that come first [file]
        variables: [variables.NAME] sections: method, predictors, except, within, and what the method honours [none]
        auxiliary: [auxiliary.NAME] sections: predictors that are made for the fit and not released (score and by; groups_of and rare)
        [none]
        option_except: variables that predict nothing unless `predictors` names them [none]
        predictors: how many of the variables before it a variable is drawn given: `all`, or `best 20`, the 20 that say most of it by
        themselves, so that time grows like the number of variables and not like its square [all]
        proper: draw parameters from their posterior too [false]
        min_bucket: records that a leaf must hold: `auto` (5, 10 or 20, for each variable of CART the one under which records that its tree
        has not seen are likeliest; 5 for forests and bagging), or how many [auto]
        complexity: share of the root's risk by which a split must lower it [1e-8]
        risk: what that risk is for categories: `impurity`, or `misclassification` as in rpart and synthpop, where a split goes that does
        not change the most frequent level [impurity]
        depth: splits between the root and a leaf at most [30]
        main_effects: weigh the donors of a CART leaf by main effects of all predictors, so that two-way tables are kept that the tree
        leaves out [true]
        scores: whether a CART tree splits by linear scores of all predictors too, so that many effects together are kept: `auto` (for each
        variable, where records that its tree has not seen are likelier), true or false [auto]
        trees: trees of a forest or of bagging [10]
        bins: bins of (0, 1] of quantile regression [25]
        donors: donors of predictive mean matching [5]
        smoothing: numbers near those of donors: `auto` (near the numbers that one record alone has, where most are such, at the precision
        that they show), `density` (a Gaussian kernel), `spline` (of the quantile function) or `none` [auto]
        smooth_above: smooth only numbers from here on [all]
        two_stage: draw a categorical variable in two stages where a third of its levels or fewer hold over 75 % of the records [false]
        first_stage: the method that decides between frequent and rare levels [the variable's method]
        missing_method: the method that decides whether a number is missing or a special code [the variable's method; logreg or polyreg
        where that is for numbers]
        tilt: choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up
        to chance [true where every variable is drawn by cart, for which it was measured; else false]
        candidates: candidates that are drawn for each record, of which one is kept [5, or 3 where a data set has more than 50,000 records]
        tilt_classes: classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how
        many; frequent values, and values of numbers with at most 20, have classes of their own [auto]
        no_copies: never keep a candidate that equals a record of the data which is unique there [true]

    Source: Nowok, Raab & Dibben (2016), synthpop: bespoke creation of synthetic data in R; Reiter (2005), Using CART to generate partially
    synthetic public use microdata.
    """

    _method: ClassVar[str | None] = "sequential"
    _options: ClassVar[Mapping[str, str]] = {"method": "method", "order": "order", "variables": "variables", "auxiliary": "auxiliary", "option_except": "except", "predictors": "predictors", "proper": "proper", "min_bucket": "min_bucket", "complexity": "complexity", "risk": "risk", "depth": "depth", "main_effects": "main_effects", "scores": "scores", "trees": "trees", "bins": "bins", "donors": "donors", "smoothing": "smoothing", "smooth_above": "smooth_above", "two_stage": "two_stage", "first_stage": "first_stage", "missing_method": "missing_method", "tilt": "tilt", "candidates": "candidates", "tilt_classes": "tilt_classes", "no_copies": "no_copies"}

    def __init__(
        self,
        *,
        method: Option = None,
        order: Option = None,
        variables: Mapping[str, Any] | None = None,
        auxiliary: Mapping[str, Any] | None = None,
        option_except: Option = None,
        predictors: Option = None,
        proper: Option = None,
        min_bucket: Option = None,
        complexity: Option = None,
        risk: Option = None,
        depth: Option = None,
        main_effects: Option = None,
        scores: Option = None,
        trees: Option = None,
        bins: Option = None,
        donors: Option = None,
        smoothing: Option = None,
        smooth_above: Option = None,
        two_stage: Option = None,
        first_stage: Option = None,
        missing_method: Option = None,
        tilt: Option = None,
        candidates: Option = None,
        tilt_classes: Option = None,
        no_copies: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.method = method
        self.order = order
        self.variables = variables
        self.auxiliary = auxiliary
        self.option_except = option_except
        self.predictors = predictors
        self.proper = proper
        self.min_bucket = min_bucket
        self.complexity = complexity
        self.risk = risk
        self.depth = depth
        self.main_effects = main_effects
        self.scores = scores
        self.trees = trees
        self.bins = bins
        self.donors = donors
        self.smoothing = smoothing
        self.smooth_above = smooth_above
        self.two_stage = two_stage
        self.first_stage = first_stage
        self.missing_method = missing_method
        self.tilt = tilt
        self.candidates = candidates
        self.tilt_classes = tilt_classes
        self.no_copies = no_copies
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Catall(Synthesizer):
    """Draws cells of the full cross-table in proportion to their counts.

    Use it when every interaction must be kept, and the recurrence of about 37 % of the unique records is acceptable.

    Options, None for what is usual:

        nprior: records' worth of probability that is spread evenly over all cells that can occur [0]

    Source: Raab (2022), Utility and disclosure risk for differentially private synthetic categorical data, 2.1.
    """

    _method: ClassVar[str | None] = "catall"
    _options: ClassVar[Mapping[str, str]] = {"nprior": "nprior"}

    def __init__(
        self,
        *,
        nprior: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.nprior = nprior
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Saturated(Synthesizer):
    """Gives every cell of the full cross-table a random count around its own.

    Use it when the risk is to be known before generating: `lookalike plan` gives it exactly for this method.

    Options, None for what is usual:

        family: poisson, nbi, pig or delaporte [nbi]
        sigma: dispersion: a count with mean mu has variance mu + sigma mu^2; not for poisson [0.5]
        nu: delaporte only: moves skewness at the same mean and variance, from 0 to below 1 [must be given]
        alpha: mean count of a cell that is empty but could occur [0]
        scale: factor on all means: scale x N records are expected [1]

    Source: Jackson, Mitra, Francis and Dove (2022), Using saturated count models for user-friendly synthesis.
    """

    _method: ClassVar[str | None] = "saturated"
    _options: ClassVar[Mapping[str, str]] = {"family": "family", "sigma": "sigma", "nu": "nu", "alpha": "alpha", "scale": "scale"}

    def __init__(
        self,
        *,
        family: Option = None,
        sigma: Option = None,
        nu: Option = None,
        alpha: Option = None,
        scale: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.family = family
        self.sigma = sigma
        self.nu = nu
        self.alpha = alpha
        self.scale = scale
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Ipf(Synthesizer):
    """Keeps chosen margins of the cross-table and nothing beyond, by a log-linear model; a private run measures margins under noise and by
    default fits them by penalised likelihood, not by proportional fitting.

    Use it when tables of two or three variables must be right, and few unique records may recur.

    Options, None for what is usual:

        margins: all1, all2, all3, or a list such as "sex:age,age:edu:income"; a variable in none is kept by itself [all2]
        estimate: in a private run, how noisy margins become a model: planned (measures what the budget can afford and shrinks what is
        noise, by a penalised fit), least-squares (a penalised fit to the named margins), or paper (iterative proportional fitting as in
        Raab 2022) [planned]
        weights: in a private run with named margins, how the budget is shared: even, by-cells, or one number for each margin [even]
        option_rows: in a private run, how records are made of the model: drawn (each by itself: a plain sample) or settled (moved until
        they agree with all pairs of the model, which leaves out what drawing adds; tables of up to 1,048,576 cells; standard errors from
        one file are then not valid) [drawn; settled where nobody names a method]
        nprior: records' worth of probability that is spread evenly over all cells that can occur [0]
        tolerance: converged when no margin cell is further than tolerance x N from its target [1e-12]
        sweeps: give up, and say so, after this many rounds over the margins [5000]
        totals: CSV files of published totals (variables and a column `count`) to which the fitted model is raked [none]

    Source: Raab (2022), 2.1; Deming and Stephan (1940); Lauritzen (1996), Graphical models, 4.3; for private runs by default Dudik,
    Phillips and Schapire (2007).
    """

    _method: ClassVar[str | None] = "ipf"
    _options: ClassVar[Mapping[str, str]] = {"margins": "margins", "estimate": "estimate", "weights": "weights", "option_rows": "rows", "nprior": "nprior", "tolerance": "tolerance", "sweeps": "sweeps", "totals": "totals"}

    def __init__(
        self,
        *,
        margins: Option = None,
        estimate: Option = None,
        weights: Option = None,
        option_rows: Option = None,
        nprior: Option = None,
        tolerance: Option = None,
        sweeps: Option = None,
        totals: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.margins = margins
        self.estimate = estimate
        self.weights = weights
        self.option_rows = option_rows
        self.nprior = nprior
        self.tolerance = tolerance
        self.sweeps = sweeps
        self.totals = totals
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Pairwise(Synthesizer):
    """Keeps single variables and pairs of variables of a table of any width; a private run measures the pairs that matter most under noise and
    takes the noise off by an empirical Bayes estimate.

    Use it when a table has more variables than a model of all its margins can hold, with a budget or without.

    Options, None for what is usual:

        option_rows: settled (records are moved until their counts come close to all tables at once; standard errors from one file are then
        not valid) or drawn (each record by itself, down a tree of measured pairs: further from the tables, but a plain sample) [settled]
        workload: variables and pairs that matter more, such as "age:income=3,sex=2"; everything else counts 1 [everything alike]

    Source: the choice and measurement of pairs after McKenna, Miklau and Sheldon (2021); estimates after Robbins (1956), Goodman (1979),
    Gavish and Donoho (2017); settling after Voas and Williamson (2000).
    """

    _method: ClassVar[str | None] = "pairwise"
    _options: ClassVar[Mapping[str, str]] = {"option_rows": "rows", "workload": "workload"}

    def __init__(
        self,
        *,
        option_rows: Option = None,
        workload: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.option_rows = option_rows
        self.workload = workload
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Mst(Synthesizer):
    """Measures every variable and a tree of pairs under noise, chosen privately, and draws from the log-linear model of the tree.

    Use it when a release is to be compared with the winner of the NIST contest of 2018; `pairwise` serves most analyses better.

    Source: McKenna, Miklau and Sheldon (2021), Winning the NIST contest: a scalable and general approach to differentially private
    synthetic data.
    """

    _method: ClassVar[str | None] = "mst"
    _options: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        *,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Aim(Synthesizer):
    """Measures the pair that its log-linear model knows worst, round by round, with noise that falls as the model gets better.

    Use it when a release is to be compared with AIM; `pairwise` serves most analyses better, and wide tables far sooner.

    Options, None for what is usual:

        cells: the most cells of the junction tree of the model: more keep more pairs and take longer [1000000]

    Source: McKenna, Mullins, Sheldon and Miklau (2022), AIM: an adaptive and iterative mechanism for differentially private synthetic data,
    PVLDB 15.
    """

    _method: ClassVar[str | None] = "aim"
    _options: ClassVar[Mapping[str, str]] = {"cells": "cells"}

    def __init__(
        self,
        *,
        cells: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.cells = cells
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Privbayes(Synthesizer):
    """Chooses a Bayesian network privately and measures every variable with its parents under noise.

    Use it when a release is to be compared with PrivBayes; `pairwise` serves most analyses better.

    Options, None for what is usual:

        parents: the most parents of a variable: 1, 2 or 3 [3, or fewer in wide tables, so that there are at most 4,000 choices]

    Source: Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM Transactions
    on Database Systems 42.
    """

    _method: ClassVar[str | None] = "privbayes"
    _options: ClassVar[Mapping[str, str]] = {"parents": "parents"}

    def __init__(
        self,
        *,
        parents: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.parents = parents
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Datasynthesizer(Synthesizer):
    """Draws every variable at random, by itself under noise, or given others in a private Bayesian network, as the three modes of
    DataSynthesizer do.

    Use it when a release is to be compared with DataSynthesizer; `pairwise` serves most analyses better.

    Options, None for what is usual:

        mode: random (every declared level equally likely, nothing is looked at), independent (every variable by itself) or correlated (a
        Bayesian network) [correlated]

    Source: Ping, Stoyanovich and Howe (2017), DataSynthesizer: privacy-preserving synthetic datasets, SSDBM.
    """

    _method: ClassVar[str | None] = "datasynthesizer"
    _options: ClassVar[Mapping[str, str]] = {"mode": "mode"}

    def __init__(
        self,
        *,
        mode: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.mode = mode
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Dirichlet(Synthesizer):
    """Draws cells in proportion to their counts plus a prior that is strong enough to hide any record (private only).

    Use it when a table with few cells is released with a guarantee that can be checked by hand; each data set is paid for.

    Source: McClure and Reiter (2012), Differential privacy and statistical disclosure risk measures: an investigation with binary synthetic
    data.
    """

    _method: ClassVar[str | None] = "dirichlet"
    _options: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        *,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Mvnorm(Synthesizer):
    """Draws numbers from a multivariate normal distribution with noisy mean and covariance (private only).

    Use it when numbers with declared ranges are analysed by means, variances and linear models.

    Options, None for what is usual:

        variables: the numbers to model, such as "age,income"; others are not released [all variables, which must then all be numbers]

    Source: Raab (2022), 2.2; Shlomo (2018), Statistical disclosure limitation: new directions and challenges.
    """

    _method: ClassVar[str | None] = "mvnorm"
    _options: ClassVar[Mapping[str, str]] = {"variables": "variables"}

    def __init__(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variables = variables
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class NormalRelease(Synthesizer):
    """Releases so few normal draws around a mean that they are private by themselves (private only).

    Use it when one number with a known standard deviation is released, and its mean is what matters.

    Options, None for what is usual:

        variable: the number to release [none; it must be named]
        sigma: its standard deviation, known from elsewhere than the records [none; it must be stated]

    Source: Drechsler (2023), Some observations on the privacy of synthetic data (poster).
    """

    _method: ClassVar[str | None] = "normal-release"
    _options: ClassVar[Mapping[str, str]] = {"variable": "variable", "sigma": "sigma"}

    def __init__(
        self,
        *,
        variable: Option = None,
        sigma: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variable = variable
        self.sigma = sigma
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Graph(Synthesizer):
    """Bootstraps each variable from the records that agree on the variables it depends on most.

    Use it when records of the data's own values are wanted without a model of any variable; with `tilt = false`, as published, it loses
    weak pairs.

    Options, None for what is usual:

        option_neighbours: to how many others each variable is linked by itself; a record must agree on all linked variables that are drawn
        before [2]
        numbers: `resample`: a class is drawn, then a number of that class; `categories`: every number is a category [resample]
        classes: classes of a number where the schema declares no cuts [10]
        tilt: choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up
        to chance [true]
        candidates: candidates that are drawn for each record, of which one is kept [5, or 3 where a data set has more than 50,000 records]
        tilt_classes: classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how
        many; frequent values, and values of numbers with at most 20, have classes of their own [auto]
        no_copies: never keep a candidate that equals a record of the data which is unique there [true]

    Source: Chen in Taub, Elliot, Raab, Charest, Chen, O'Keefe, Pistner Nixon, Snoke & Slavković (2020), Creating the best risk-utility
    profile: the synthetic data challenge, 2.2.
    """

    _method: ClassVar[str | None] = "graph"
    _options: ClassVar[Mapping[str, str]] = {"option_neighbours": "neighbours", "numbers": "numbers", "classes": "classes", "tilt": "tilt", "candidates": "candidates", "tilt_classes": "tilt_classes", "no_copies": "no_copies"}

    def __init__(
        self,
        *,
        option_neighbours: Option = None,
        numbers: Option = None,
        classes: Option = None,
        tilt: Option = None,
        candidates: Option = None,
        tilt_classes: Option = None,
        no_copies: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.option_neighbours = option_neighbours
        self.numbers = numbers
        self.classes = classes
        self.tilt = tilt
        self.candidates = candidates
        self.tilt_classes = tilt_classes
        self.no_copies = no_copies
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Arf(Synthesizer):
    """Draws each variable by itself within the leaves of a forest that cannot tell records from synthetic ones.

    Use it when a second strong generator is wanted that knows no order of variables, to see which results depend on the first.

    Options, None for what is usual:

        trees: trees of the forest [20]
        min_bucket: records of the data that a leaf must hold; fewer are nearer to the data, and to copies [5]
        rounds: forests that are grown at most, one against the other's records [10]
        smoothing: numbers near those of donors: `auto` (near the numbers that one record alone has, where most are such, at the precision
        that they show), `density` (a Gaussian kernel), `spline` (of the quantile function) or `none` [auto]
        tilt: choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up
        to chance [true]
        candidates: candidates that are drawn for each record, of which one is kept [5, or 3 where a data set has more than 50,000 records]
        tilt_classes: classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how
        many; frequent values, and values of numbers with at most 20, have classes of their own [auto]
        no_copies: never keep a candidate that equals a record of the data which is unique there [true]

    Source: Watson, Blesch, Kapar & Wright (2023), Adversarial random forests for density estimation and generative modeling, AISTATS.
    """

    _method: ClassVar[str | None] = "arf"
    _options: ClassVar[Mapping[str, str]] = {"trees": "trees", "min_bucket": "min_bucket", "rounds": "rounds", "smoothing": "smoothing", "tilt": "tilt", "candidates": "candidates", "tilt_classes": "tilt_classes", "no_copies": "no_copies"}

    def __init__(
        self,
        *,
        trees: Option = None,
        min_bucket: Option = None,
        rounds: Option = None,
        smoothing: Option = None,
        tilt: Option = None,
        candidates: Option = None,
        tilt_classes: Option = None,
        no_copies: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.trees = trees
        self.min_bucket = min_bucket
        self.rounds = rounds
        self.smoothing = smoothing
        self.tilt = tilt
        self.candidates = candidates
        self.tilt_classes = tilt_classes
        self.no_copies = no_copies
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Tvae(Synthesizer):
    """Draws whole records from a variational autoencoder, a neural net; a private run trains it by noisy gradients of sampled records.

    Use it when a comparison with the nets of the literature is wanted; trees come nearer to the data in a hundredth of the time.

    Options, None for what is usual:

        epochs: how often training goes over the records: `auto` (300, or as many as make 3,000 steps where these are fewer), or how many
        [auto]
        batch: records of one step of training [500]
        hidden: units of each hidden layer [128; 32 in a private run]
        latent: units of the latent [128; 8 in a private run]
        rate: the learning rate of Adam [0.001; 0.005 in a private run]
        decay: the decay of weights [0.00001]
        reconstruction: the weight of reconstruction against the divergence of the latent [2.0]
        draw: which choice of a span is drawn: `sample` (by its probability) or `largest` (the likeliest, as published) [sample]
        atoms: values that many records share, such as zero or 40 hours, are choices of their own; without, as published, they are drawn
        from a normal component [true]
        steps: in a private run: steps of training, all of which are paid before the first [1000]
        sampling: in a private run: the probability with which a record takes part in a step, by itself and in secret [0.05]
        tilt: choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up
        to chance [true]
        candidates: candidates that are drawn for each record, of which one is kept [5, or 3 where a data set has more than 50,000 records]
        tilt_classes: classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how
        many; frequent values, and values of numbers with at most 20, have classes of their own [auto]
        no_copies: never keep a candidate that equals a record of the data which is unique there [true]

    Source: Xu, Skoularidou, Cuesta-Infante & Veeramachaneni (2019), Modeling tabular data using conditional GAN, NeurIPS.
    """

    _method: ClassVar[str | None] = "tvae"
    _options: ClassVar[Mapping[str, str]] = {"epochs": "epochs", "batch": "batch", "hidden": "hidden", "latent": "latent", "rate": "rate", "decay": "decay", "reconstruction": "reconstruction", "draw": "draw", "atoms": "atoms", "steps": "steps", "sampling": "sampling", "tilt": "tilt", "candidates": "candidates", "tilt_classes": "tilt_classes", "no_copies": "no_copies"}

    def __init__(
        self,
        *,
        epochs: Option = None,
        batch: Option = None,
        hidden: Option = None,
        latent: Option = None,
        rate: Option = None,
        decay: Option = None,
        reconstruction: Option = None,
        draw: Option = None,
        atoms: Option = None,
        steps: Option = None,
        sampling: Option = None,
        tilt: Option = None,
        candidates: Option = None,
        tilt_classes: Option = None,
        no_copies: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.epochs = epochs
        self.batch = batch
        self.hidden = hidden
        self.latent = latent
        self.rate = rate
        self.decay = decay
        self.reconstruction = reconstruction
        self.draw = draw
        self.atoms = atoms
        self.steps = steps
        self.sampling = sampling
        self.tilt = tilt
        self.candidates = candidates
        self.tilt_classes = tilt_classes
        self.no_copies = no_copies
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Ctgan(Synthesizer):
    """Draws whole records from a generator that was trained against a critic, two neural nets; a private run trains the critic by noisy
    gradients of sampled records.

    Use it when a comparison with the nets of the literature is wanted; trees come nearer to the data in a thousandth of the time.

    Options, None for what is usual:

        epochs: how often training goes over the records: `auto` (300, or as many as make 3,000 steps where these are fewer), or how many
        [auto]
        batch: records of one step of training [500]
        noise: units of the noise [128; 16 in a private run]
        hidden: units of each layer [256; 32 in a private run]
        pack: records that the critic judges together; `batch` is a multiple of it [10]
        rate: the learning rate of Adam [0.0002; 0.003 in a private run]
        decay: the decay of the generator's weights [0.000001]
        penalty: the weight of the gradient penalty [10.0]
        temperature: the temperature of Gumbel's softmax in training [0.2; 0.5 in a private run]
        dropout: the share of the critic's units that a step leaves out [0.5]
        atoms: values that many records share, such as zero or 40 hours, are choices of their own; without, as published, they are drawn
        from a normal component [true]
        steps: in a private run: steps of training, all of which are paid before the first [1000]
        sampling: in a private run: the probability with which a record takes part in a step, by itself and in secret [0.05]
        tilt: choose the records out of several candidates each, so that one-way and two-way tables and low moments are those of the data up
        to chance [true]
        candidates: candidates that are drawn for each record, of which one is kept [5, or 3 where a data set has more than 50,000 records]
        tilt_classes: classes of a number in these tables: `auto` (10, or 5 where these would leave too few candidates with weight), or how
        many; frequent values, and values of numbers with at most 20, have classes of their own [auto]
        no_copies: never keep a candidate that equals a record of the data which is unique there [true]

    Source: Xu, Skoularidou, Cuesta-Infante & Veeramachaneni (2019), Modeling tabular data using conditional GAN, NeurIPS; Gulrajani et al.
    (2017), Improved training of Wasserstein GANs.
    """

    _method: ClassVar[str | None] = "ctgan"
    _options: ClassVar[Mapping[str, str]] = {"epochs": "epochs", "batch": "batch", "noise": "noise", "hidden": "hidden", "pack": "pack", "rate": "rate", "decay": "decay", "penalty": "penalty", "temperature": "temperature", "dropout": "dropout", "atoms": "atoms", "steps": "steps", "sampling": "sampling", "tilt": "tilt", "candidates": "candidates", "tilt_classes": "tilt_classes", "no_copies": "no_copies"}

    def __init__(
        self,
        *,
        epochs: Option = None,
        batch: Option = None,
        noise: Option = None,
        hidden: Option = None,
        pack: Option = None,
        rate: Option = None,
        decay: Option = None,
        penalty: Option = None,
        temperature: Option = None,
        dropout: Option = None,
        atoms: Option = None,
        steps: Option = None,
        sampling: Option = None,
        tilt: Option = None,
        candidates: Option = None,
        tilt_classes: Option = None,
        no_copies: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        epsilon: float | None = None,
        delta: float | None = None,
        rho: float | None = None,
        neighbours: str | None = None,
        records: int | None = None,
        insecure_test_seed: int | None = None,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.epochs = epochs
        self.batch = batch
        self.noise = noise
        self.hidden = hidden
        self.pack = pack
        self.rate = rate
        self.decay = decay
        self.penalty = penalty
        self.temperature = temperature
        self.dropout = dropout
        self.atoms = atoms
        self.steps = steps
        self.sampling = sampling
        self.tilt = tilt
        self.candidates = candidates
        self.tilt_classes = tilt_classes
        self.no_copies = no_copies
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.neighbours = neighbours
        self.records = records
        self.insecure_test_seed = insecure_test_seed
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Swapping(Synthesizer):
    """Exchanges a few variables, such as the place, between pairs of records, those at risk first (classical; not synthetic).

    Use it when a frontier is to show what census offices have long released.

    Options, None for what is usual:

        variables: what is exchanged, together, such as "district,ward" [the variable with the most levels, and what is nested with it]
        match: variables on which partners agree, the most important first [none]
        keys: what an intruder knows: records in small cells of these and of what is exchanged come first [all other variables with levels]
        rate: the share of records that are exchanged [0.1]
        smoothing: numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none` [auto]

    Source: Dalenius & Reiss (1982), Data-swapping: a technique for disclosure control; Shlomo, Tudor & Groom (2010), Data swapping for
    protecting census tables.
    """

    _method: ClassVar[str | None] = "swapping"
    _options: ClassVar[Mapping[str, str]] = {"variables": "variables", "match": "match", "keys": "keys", "rate": "rate", "smoothing": "smoothing"}

    def __init__(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        match: Option = None,
        keys: Option = None,
        rate: Option = None,
        smoothing: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variables = variables
        self.match = match
        self.keys = keys
        self.rate = rate
        self.smoothing = smoothing
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Pram(Synthesizer):
    """Draws some levels of each variable anew from its own distribution (post-randomisation; classical, not synthetic).

    Use it when a frontier is to show what perturbing single values keeps.

    Options, None for what is usual:

        variables: the variables whose levels are drawn anew; those nested within them follow [all that have levels]
        change: the probability that a level is drawn anew [0.2]
        smoothing: numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none` [auto]

    Source: Gouweleeuw, Kooiman, Willenborg & de Wolf (1998), Post randomisation for statistical disclosure control: theory and
    implementation.
    """

    _method: ClassVar[str | None] = "pram"
    _options: ClassVar[Mapping[str, str]] = {"variables": "variables", "change": "change", "smoothing": "smoothing"}

    def __init__(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        change: Option = None,
        smoothing: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variables = variables
        self.change = change
        self.smoothing = smoothing
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Microaggregation(Synthesizer):
    """Replaces numbers by the means of groups of records that are alike in them (classical; not synthetic).

    Use it when a frontier is to show what averaging a few records keeps; variables with levels are not changed.

    Options, None for what is usual:

        variables: the numbers that are averaged, together [all numbers, days and times]
        k: the records of a group at least [5]
        smoothing: numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none` [auto]

    Source: Domingo-Ferrer & Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
    """

    _method: ClassVar[str | None] = "microaggregation"
    _options: ClassVar[Mapping[str, str]] = {"variables": "variables", "k": "k", "smoothing": "smoothing"}

    def __init__(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        k: Option = None,
        smoothing: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variables = variables
        self.k = k
        self.smoothing = smoothing
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Topcoding(Synthesizer):
    """Replaces the largest and smallest numbers of each variable by their mean (classical; not synthetic).

    Use it when a frontier is to show what hiding extremes alone does; it protects nothing else.

    Options, None for what is usual:

        variables: the numbers that are coded [all numbers]
        top: the share of numbers that are coded at the top [0.01]
        bottom: the share of numbers that are coded at the bottom [0.01]
        fill: what replaces them: their `mean`, or the `limit` beyond which they lie [mean]
        smoothing: numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none` [auto]

    Source: Hundepool et al. (2012), Statistical Disclosure Control, 3.4.
    """

    _method: ClassVar[str | None] = "topcoding"
    _options: ClassVar[Mapping[str, str]] = {"variables": "variables", "top": "top", "bottom": "bottom", "fill": "fill", "smoothing": "smoothing"}

    def __init__(
        self,
        *,
        variables: Mapping[str, Any] | None = None,
        top: Option = None,
        bottom: Option = None,
        fill: Option = None,
        smoothing: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.variables = variables
        self.top = top
        self.bottom = bottom
        self.fill = fill
        self.smoothing = smoothing
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Suppression(Synthesizer):
    """Takes values of keys out until every combination belongs to k records (k-anonymity; classical, not synthetic).

    Use it when a frontier is to show what k-anonymity keeps and what it does not hide.

    Options, None for what is usual:

        keys: what an intruder knows, the most important first; at most 12 variables [the first eight variables with levels]
        k: the records that share each combination of keys at least [3]
        smoothing: numbers that one record alone has: `auto` (replaced by numbers near them, where most are such) or `none` [auto]

    Source: Sweeney (2002), k-anonymity: a model for protecting privacy; Hundepool et al. (2012), Statistical Disclosure Control, 3.4.
    """

    _method: ClassVar[str | None] = "suppression"
    _options: ClassVar[Mapping[str, str]] = {"keys": "keys", "k": "k", "smoothing": "smoothing"}

    def __init__(
        self,
        *,
        keys: Option = None,
        k: Option = None,
        smoothing: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.keys = keys
        self.k = k
        self.smoothing = smoothing
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Rounding(Synthesizer):
    """Rounds the counts of the cross-table of all variables at random to a multiple of a base (classical; not synthetic).

    Use it when a frontier is to show what rounded tables would have kept; few variables, or every cell has one record.

    Options, None for what is usual:

        base: counts are rounded to multiples of it [3]

    Source: Fellegi (1975), Controlled random rounding; Hundepool et al. (2012), Statistical Disclosure Control, 5.4.
    """

    _method: ClassVar[str | None] = "rounding"
    _options: ClassVar[Mapping[str, str]] = {"base": "base"}

    def __init__(
        self,
        *,
        base: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.base = base
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


class Cellkey(Synthesizer):
    """Perturbs the counts of the cross-table of all variables by the cell-key method (classical; not synthetic).

    Use it when a frontier is to show what the tables of census offices would have kept; few variables, or every cell has one record.

    Options, None for what is usual:

        most: the largest change of a count [5]
        variance: the variance of the change [3.0]
        small: counts from 1 to this one do not occur [2]

    Source: Thompson, Broadfoot & Elazar (2013), Methodology for the automatic confidentialisation of statistical outputs from remote
    servers at the Australian Bureau of Statistics; Giessing (2016), Computational issues in the design of transition probabilities and
    disclosure risk estimation for additive noise.
    """

    _method: ClassVar[str | None] = "cellkey"
    _options: ClassVar[Mapping[str, str]] = {"most": "most", "variance": "variance", "small": "small"}

    def __init__(
        self,
        *,
        most: Option = None,
        variance: Option = None,
        small: Option = None,
        m: int = 1,
        rows: int | None = None,
        seed: int | None = None,
        strata: Sequence[str] = (),
        groups: int = 5,
        after: Mapping[str, Any] | None = None,
        learned_schema: str | None = None,
        small_table: str | None = None,
        resume: str | os.PathLike[str] | None = None,
        memory: int | None = None,
    ) -> None:
        self.most = most
        self.variance = variance
        self.small = small
        self.m = m
        self.rows = rows
        self.seed = seed
        self.strata = strata
        self.groups = groups
        self.after = after
        self.learned_schema = learned_schema
        self.small_table = small_table
        self.resume = resume
        self.memory = memory


# By the names of recipes.
CLASSES: dict[str, type[Synthesizer]] = {
    "sequential": Sequential,
    "catall": Catall,
    "saturated": Saturated,
    "ipf": Ipf,
    "pairwise": Pairwise,
    "mst": Mst,
    "aim": Aim,
    "privbayes": Privbayes,
    "datasynthesizer": Datasynthesizer,
    "dirichlet": Dirichlet,
    "mvnorm": Mvnorm,
    "normal-release": NormalRelease,
    "graph": Graph,
    "arf": Arf,
    "tvae": Tvae,
    "ctgan": Ctgan,
    "swapping": Swapping,
    "pram": Pram,
    "microaggregation": Microaggregation,
    "topcoding": Topcoding,
    "suppression": Suppression,
    "rounding": Rounding,
    "cellkey": Cellkey,
}

__all__ = [
    "Sequential",
    "Catall",
    "Saturated",
    "Ipf",
    "Pairwise",
    "Mst",
    "Aim",
    "Privbayes",
    "Datasynthesizer",
    "Dirichlet",
    "Mvnorm",
    "NormalRelease",
    "Graph",
    "Arf",
    "Tvae",
    "Ctgan",
    "Swapping",
    "Pram",
    "Microaggregation",
    "Topcoding",
    "Suppression",
    "Rounding",
    "Cellkey",
]
