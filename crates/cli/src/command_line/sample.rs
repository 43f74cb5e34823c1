//! `lookalike sample`: more data sets from a saved model, without the data.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use lookalike::{Error, SampleRequest};

use super::amount::{AmountOptions, FileOptions};
use super::books::SignOptions;
use super::{Everywhere, Run};

/// Draw more data sets from a saved model.
#[derive(Debug, Args)]
pub(super) struct Sample {
    /// A model that `synth --save-model` wrote
    model: PathBuf,
    /// The public key of whoever saved the model, a file or the key itself: the signature beside the model must be by it
    #[arg(long, value_name = "PUBKEY")]
    signer: Option<String>,
    #[command(flatten)]
    amount: AmountOptions,
    #[command(flatten)]
    signature: SignOptions,
    #[command(flatten)]
    files: FileOptions,
}

impl Run for Sample {
    fn run(&self, everywhere: &Everywhere) -> Result<ExitCode, Error> {
        everywhere.carry_out(&SampleRequest {
            amount: self.amount.amount(),
            out: Some(self.amount.out()?.to_owned()),
            replace: everywhere.force,
            signer: self.signer.clone(),
            sign: self.signature.signing(),
            layout: self.files.layout(),
            ..SampleRequest::new(&self.model)
        })
    }
}
