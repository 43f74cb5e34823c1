"""Golden values for statistics::counts, independent of its formulas: python count_families.py > count_families.csv

Made with Python 3.11, mpmath 1.4.1 (40 digits) and scipy 1.17.1. Columns: family, mean, sigma, nu, k, ln P(X = k), P(X <= k).
An empty last column means that no independent cumulative value of enough digits was at hand.

  nbi        ln P from log-gamma functions; P(X <= k) is the incomplete beta function's series (sigma = 0: scipy's incomplete gamma)
  pig        the mixing integral over the logarithm of the inverse Gaussian variable, by the trapezoid rule; for P(X <= k)
             the same integral over scipy's Poisson distribution function
  delaporte  the convolution, term by term
"""
import sys
from mpmath import mp, mpf, loggamma, log, exp, sqrt, pi, nstr, floor
import numpy as np
from scipy import special

mp.dps = 40


def poisson_ln(k, mean):
    return k * log(mean) - mean - loggamma(k + 1)


def nbi_ln(k, mean, sigma):
    mean, sigma, k = mpf(mean), mpf(sigma), mpf(k)
    if sigma == 0:
        return poisson_ln(k, mean)
    r = 1 / sigma
    odds = sigma * mean
    return (loggamma(k + r) - loggamma(k + 1) - loggamma(r) + k * log(odds / (1 + odds)) - r * log(1 + odds))


def nbi_cdf(k, mean, sigma):
    if sigma == 0:
        return special.pdtr(k, mean)
    # The incomplete beta function I_x(1/sigma, k + 1) at x = 1/(1 + sigma mean) by its series of positive terms (DLMF
    # 8.17.8), or one minus its mirror image. scipy's betainc is 2e-8 off at mean 1e9, sigma 0.1.
    r, odds = 1 / mpf(sigma), mpf(sigma) * mpf(mean)
    x, a, b = 1 / (1 + odds), r, mpf(k + 1)
    if x <= (a + 1) / (a + b + 2):
        return beta_series(a, b, x, odds * x)
    if mean * (mean ** -1 + sigma) ** 0.5 > 2e5:
        return None  # too many terms for a golden value
    return 1 - beta_series(b, a, odds * x, x)


def beta_series(a, b, x, y):
    term = exp(a * log(x) + b * log(y) - log(a) - loggamma(a) - loggamma(b) + loggamma(a + b))
    total, n = mpf(0), 0
    while term > total * mpf(10) ** -25:
        total += term
        term *= (a + b + n) / (a + 1 + n) * x
        n += 1
    return total


def pig_nodes(k, mean, sigma):
    """Trapezoid nodes u = ln x around the top of x^k e^-x f(x), f inverse Gaussian."""
    def g(u):
        x = exp(u)
        ln_density = log(mean / sigma / (2 * pi)) / 2 - 3 * u / 2 - (x - mean) ** 2 / (2 * sigma * mean * x)
        return k * u - x - loggamma(k + 1) + ln_density + u
    # Top of g without the Jacobian trick: solve g' = 0 by bisection.
    def slope(u):
        x = exp(u)
        return k - x - mpf(1) / 2 - (x / mean - mean / x) / (2 * sigma)
    low, high = mpf(-2000), mpf(2000)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    u0 = (low + high) / 2
    x0 = exp(u0)
    width = 1 / sqrt(x0 + (x0 / mean + mean / x0) / (2 * sigma))
    step = min(width, mpf(1)) / 8
    return g, u0, step


def pig_ln(k, mean, sigma):
    mean, sigma, k = mpf(mean), mpf(sigma), mpf(k)
    g, u0, step = pig_nodes(k, mean, sigma)
    top = g(u0)
    total = mpf(1)
    for direction in (1, -1):
        i = 1
        while True:
            term = exp(g(u0 + direction * i * step) - top)
            total += term
            if term < mpf(10) ** -30:
                break
            i += 1
    return top + log(total * step)


def pig_cdf(k, mean, sigma):
    # x = mean * e^s, mixing density in s, in double precision; the Poisson cdf has width 1/sqrt(k) in s around ln(k/mean).
    fine = np.log((k + 1) / mean) + np.linspace(-60, 60, 40001) / np.sqrt(k + 1)
    reach = np.arcsinh(60 * sigma * 2) + 1
    coarse = np.linspace(-reach - np.log1p(100 * sigma), reach, 400001)
    s = np.unique(np.concatenate([fine, coarse]))
    density = np.exp(-s / 2 - (np.exp(s / 2) - np.exp(-s / 2)) ** 2 / (2 * sigma)) / np.sqrt(2 * np.pi * sigma)
    value = density * special.pdtr(k, mean * np.exp(s))
    # Simpson on each gap with a midpoint.
    mid = (s[1:] + s[:-1]) / 2
    density_mid = np.exp(-mid / 2 - (np.exp(mid / 2) - np.exp(-mid / 2)) ** 2 / (2 * sigma)) / np.sqrt(2 * np.pi * sigma)
    value_mid = density_mid * special.pdtr(k, mean * np.exp(mid))
    return float(np.sum(np.diff(s) / 6 * (value[1:] + value[:-1] + 4 * value_mid)))


def delaporte_ln(k, mean, sigma, nu):
    mean, sigma, nu = mpf(mean), mpf(sigma), mpf(nu)
    rest = 1 - nu
    lam, b, s = nu * mean, rest * mean, sigma / rest ** 2
    term = exp(poisson_ln(mpf(0), lam) + nbi_ln(k, b, s))
    total = term
    r, q = 1 / s, s * b / (1 + s * b)
    # Ratio of neighbouring terms, exact up to rounding at 40 digits.
    for j in range(k):
        x = k - j
        term *= lam / (j + 1) * x / ((x - 1 + r) * q)
        total += term
    return log(total)


def emit(family, mean, sigma, nu, k, ln_p, cdf):
    cdf = "" if cdf is None else repr(float(cdf))
    print(f"{family},{mean!r},{sigma!r},{nu},{k},{nstr(ln_p, 20)},{cdf}")


def counts_of_interest(mean, sigma):
    sd = (mean + sigma * mean ** 2) ** 0.5
    ks = {0, 1, 2, 40}
    for z in (-6, -2, -0.5, 0, 1, 3, 8):
        ks.add(int(mean + z * sd))
    ks.add(int(mean / (1 + 3 * sigma)))
    return sorted(k for k in ks if k >= 0)


print("family,mean,sigma,nu,k,ln_p,cdf")
for mean in (1e-6, 0.01, 1.0, 30.0, 5634.0, 1e6, 1e9):
    for sigma in (0.0, 1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3):
        for k in counts_of_interest(mean, sigma):
            emit("nbi", mean, sigma, "", k, nbi_ln(k, mean, sigma), nbi_cdf(k, mean, sigma))
            if sigma > 0:
                cdf = pig_cdf(k, mean, sigma) if 1e-3 <= sigma <= 10 and 1 <= mean < 1e9 else None
                emit("pig", mean, sigma, "", k, pig_ln(k, mean, sigma), cdf)
    sys.stdout.flush()
for mean in (1e-6, 0.01, 1.0, 30.0, 5634.0, 200000.0):
    for sigma in (1e-6, 1e-3, 0.1, 1.0, 10.0, 1e3):
        for nu in (0.05, 0.5, 0.95):
            for k in counts_of_interest(mean, sigma):
                if k <= 300000:
                    emit("delaporte", mean, sigma, nu, k, delaporte_ln(k, mean, sigma, nu), None)
