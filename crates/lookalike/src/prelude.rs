//! What most programs need.

pub use crate::{
    Amount, AttackRequest, AuditRequest, Books, Cancel, Data, DescribeRequest, Error, ErrorKind, FitRequest,
    FrontierRequest, KeyRequest, LedgerExportRequest, LedgerLimitRequest, LedgerShowRequest, MeasureRequest,
    Noise, PlanRequest, Questions, ReleaseRequest, Request, SampleRequest, Signing, Step, SynthesiseRequest,
    VerifyRequest, Version, Watch,
};
pub use inference::Estimand;
pub use synthesis::Recipe;
pub use table::Table;
pub use table::read::{ReadOptions, read_csv_text};
