//! What most programs need.

pub use crate::{
    Amount, AttackRequest, AuditRequest, Cancel, Data, DescribeRequest, Error, ErrorKind, FitRequest,
    FrontierRequest, MeasureRequest, Noise, PlanRequest, Questions, ReleaseRequest, Request, SampleRequest,
    Step, SynthesiseRequest, VerifyRequest, Version, Watch,
};
pub use inference::Estimand;
pub use synthesis::Recipe;
pub use table::Table;
pub use table::read::{ReadOptions, read_csv_text};
