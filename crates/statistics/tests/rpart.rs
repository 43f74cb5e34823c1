//! Trees beside those of R's rpart 4.1.19, an independent implementation.
//!
//! The expected numbers are those of this script: the leaves, and two sums over the records of the size of their leaf, plain and
//! times (i mod 11), which two different partitions hardly share.
//!
//! ```r
//! library(rpart)
//! n <- 2000; i <- 0:(n-1)
//! u <- function(a, m) (i * a + (i %/% 7) * 13 + (i %/% 50) * 5) %% m
//! a <- u(7919, 101); b <- u(104729, 37); f <- u(31, 6); g <- u(57, 5)
//! noise <- (i * 48271) %% 997
//! y <- round(3 * a + 20 * (b > 12) * (f %in% c(1, 4)) + noise / 20)
//! flip <- noise < 200
//! two <- as.integer(noise < 4 * a + 9 * b + 60 * ((f * 5 + 2) %% 6))
//! five <- (a %/% 30 + 2 * (f %in% c(1, 3)) + (b > 20)) %% 5; five[flip] <- (noise %% 5)[flip]
//! d <- data.frame(a, b, f = factor(f), g = factor(g))
//! report <- function(name, y, method, cp, bucket) {
//!   fit <- rpart(y ~ ., data = cbind(d, y = y), method = method,
//!                control = rpart.control(cp = cp, minbucket = bucket, xval = 0, maxcompete = 0, maxsurrogate = 0))
//!   size <- as.integer(table(fit$where)[as.character(fit$where)])
//!   cat(sprintf("(%s, %g, %d, %d, %.0f, %.0f),\n", name, cp, bucket,
//!               sum(fit$frame$var == "<leaf>"), sum(size), sum(size * (i %% 11))))
//! }
//! for (cp in c(0.01, 0.001, 1e-4)) report("numbers", y, "anova", cp, 5)
//! report("numbers", y, "anova", 0, 20)
//! for (bucket in c(5, 10, 15, 20)) report("two", factor(two), "class", if (bucket < 15) 0.002 else 0, bucket)
//! for (cp in c(0.01, 0.001, 1e-4, 0)) report("five", factor(five), "class", cp, 5)
//! ```

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use statistics::trees::{Predictor, Response, Risk, Tree, TreeOptions};

const RECORDS: u64 = 2000;

fn uneven(factor: u64, modulus: u64) -> Vec<u64> {
    (0..RECORDS).map(|i| (i * factor + (i / 7) * 13 + (i / 50) * 5) % modulus).collect()
}

#[test]
fn trees_are_those_of_rpart() {
    let [a, b, f, g] =
        [(7919, 101), (104_729, 37), (31, 6), (57, 5)].map(|(factor, modulus)| uneven(factor, modulus));
    let noise: Vec<u64> = (0..RECORDS).map(|i| i * 48_271 % 997).collect();
    let records = || (0..RECORDS as usize).map(|i| (a[i], b[i], f[i], noise[i]));
    let numbers: Vec<f64> = records()
        .map(|(a, b, f, noise)| {
            let step = if b > 12 && [1, 4].contains(&f) { 20.0 } else { 0.0 };
            (3.0 * a as f64 + step + noise as f64 / 20.0).round_ties_even()
        })
        .collect();
    let two: Vec<u32> =
        records().map(|(a, b, f, noise)| u32::from(noise < 4 * a + 9 * b + 60 * ((f * 5 + 2) % 6))).collect();
    let five: Vec<u32> = records()
        .map(|(a, b, f, noise)| match noise < 200 {
            true => (noise % 5) as u32,
            false => ((a / 30 + if [1, 3].contains(&f) { 2 } else { 0 } + u64::from(b > 20)) % 5) as u32,
        })
        .collect();
    let number =
        |x: &[u64]| Predictor::numeric(&x.iter().map(|x| *x as f64).collect::<Vec<_>>(), None).unwrap();
    let factor = |x: &[u64], levels| {
        Predictor::categorical(&x.iter().map(|x| *x as u32).collect::<Vec<_>>(), levels).unwrap()
    };
    let predictors = [number(&a), number(&b), factor(&f, 6), factor(&g, 5)];
    let predictors: Vec<&Predictor> = predictors.iter().collect();

    let numbers = Response::Numeric(&numbers);
    let two = Response::Classes { codes: &two, levels: 2 };
    let five = Response::Classes { codes: &five, levels: 5 };
    for (name, response, complexity, min_bucket, leaves, plain, mixed) in [
        ("numbers", numbers, 0.01, 5, 7, 621120, 3102297),
        ("numbers", numbers, 0.001, 5, 13, 328624, 1646774),
        ("numbers", numbers, 0.0001, 5, 59, 92122, 458385),
        ("numbers", numbers, 0.0, 20, 48, 87682, 438226),
        ("two", two, 0.002, 5, 32, 514662, 2580500),
        ("two", two, 0.002, 10, 26, 518282, 2600250),
        ("two", two, 0.0, 15, 41, 224072, 1137358),
        ("two", two, 0.0, 20, 25, 275700, 1378954),
        ("five", five, 0.01, 5, 16, 314790, 1581646),
        ("five", five, 0.001, 5, 16, 314790, 1581646),
        ("five", five, 0.0001, 5, 21, 288316, 1452331),
        ("five", five, 0.0, 5, 21, 288316, 1452331),
    ] {
        let min_split = 3 * min_bucket;
        let options = TreeOptions {
            min_bucket,
            min_split,
            complexity,
            risk: Risk::Misclassification,
            ..TreeOptions::default()
        };
        let tree = Tree::fit(&predictors, &response, None, &options).unwrap();
        let size = tree.route(&predictors, 0..RECORDS as usize).unwrap();
        let size = || size.iter().map(|leaf| tree.weight(*leaf)).zip(0u64..);
        let found = (
            tree.leaves(),
            size().map(|(size, _)| size).sum(),
            size().map(|(size, i)| size * (i % 11)).sum(),
        );
        assert_eq!(found, (leaves, plain, mixed), "{name} at complexity {complexity}");
    }
}
