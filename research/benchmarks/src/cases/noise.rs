//! Exact noise, and a whole private run.

use privacy::noise::DiscreteLaplace;
use privacy::{Cost, NoiseSource};
use synthesis::private::PrivacySettings;
use synthesis::{Recipe, Run, fit};
use table::read::{ReadOptions, read_table};
use table::schema::SchemaFile;

use crate::clock::{once, repeatedly};
use crate::data::read;
use crate::{BenchError, Case, Peer, Promise};

/// R's is not exact: floating point, and a generator that is not secure.
pub(crate) const LAPLACE: Case = Case {
    name: "noise",
    what: "five million draws of exact discrete Laplace noise at scale 10, on one core",
    sizes: &[5_000_000],
    of: "",
    work: |_, draws| {
        let law = Cost::rounded_down(0.1).and_then(|cost| DiscreteLaplace::for_cost(cost, 1));
        let law = law.map_err(BenchError::failed)?;
        let mut noise = NoiseSource::insecure_test_seed(1);
        repeatedly(|| Ok((0..draws).map(|_| law.sample(noise.rng())).fold(0, i64::wrapping_add)))
    },
    peers: &[Peer::R {
        name: "R, difference of two rgeom",
        script: "p <- 1 - exp(-0.1)\nemit(cpu(function() rgeom(5e6, p) - rgeom(5e6, p)))\n",
    }],
    promises: &[Promise::CpuSeconds(1.0)],
};

/// The planned method on the seven grouped variables of SD2011.
pub(crate) const PRIVATE: Case = Case {
    name: "private",
    what: "a private synthesis of SD2011's seven grouped variables at epsilon 1, margins planned",
    sizes: &[5_000],
    of: "",
    work: |places, _| {
        let path = places.shared("data/sd2011_s7.csv")?;
        let learned = read(&path)?.schema().to_toml();
        let declared = learned
            .replacen("declared = false\nreason = \"\"", "declared = true\nreason = \"code book\"", 1)
            .replace("domain = \"learned\"\n", "");
        let schema = Some(SchemaFile::parse(&declared).map_err(BenchError::failed)?);
        let options = ReadOptions { schema, ..ReadOptions::default() };
        let table = read_table(&path, &options).map_err(BenchError::failed)?;
        let privacy =
            PrivacySettings { epsilon: Some(1.0), records: Some(5_000), ..PrivacySettings::default() };
        let recipe = Recipe { privacy: Some(privacy), ..Recipe::new("ipf") };
        once(|| {
            let fitted = fit(&table, &recipe, &Run::replayed(1));
            fitted.and_then(|fitted| fitted.table(0)).map_err(BenchError::failed)
        })
    },
    peers: &[],
    promises: &[Promise::CpuSeconds(5.0)],
};
