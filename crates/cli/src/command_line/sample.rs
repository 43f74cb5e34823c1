//! `lookalike sample`: more data sets from a saved model, without the data.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::SampleRequest;

use super::amount::AmountOptions;
use super::{Everywhere, Failure, Run};

/// Draw more data sets from a saved model.
#[derive(Debug, Args)]
pub(super) struct Sample {
    /// A model that `synth --save-model` wrote
    model: PathBuf,
    #[command(flatten)]
    amount: AmountOptions,
}

impl Run for Sample {
    fn inputs(&self) -> Vec<PathBuf> {
        vec![self.model.clone()]
    }

    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Failure> {
        let out = self.amount.out()?;
        let request = SampleRequest {
            amount: self.amount.amount(),
            out: Some(out.to_owned()),
            replace: everywhere.force,
            ..SampleRequest::new(&self.model)
        };
        let made = request.run(&everywhere.watch())?;
        let Some(manifest) = &made.manifest else { return Ok(ExitCode::SUCCESS) };
        let text = report::data_sets_text(out, manifest, &made.fitted.remarks());
        everywhere.deliver(&text, || serde_json::json!(manifest))?;
        Ok(ExitCode::SUCCESS)
    }
}
