//! A scheduler and executors for small sites: Ballista's own, with times after which a lost machine is noticed in seconds instead of minutes.
//!
//! They listen on the loopback address unless told otherwise. Whoever reaches a port may read files as the user who started it: a cluster belongs into a network of its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ballista_core::RuntimeProducer;
use ballista_core::error::BallistaError;
use ballista_core::object_store::{
    CustomObjectStoreRegistry, S3Options, session_config_with_s3_support, session_state_with_s3_support,
};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use clap::{Args, Parser};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;

use crate::engine::runtime;

/// An executor that said nothing for so many seconds is lost; by default Ballista waits for 180.
const LOST_AFTER_SECONDS: u64 = 6;
/// How often lost ones are looked for.
const LOOK_EVERY_SECONDS: u64 = 2;
/// How often an executor says that it is there.
const HEARTBEAT_SECONDS: u64 = 1;
/// How long work waits for an executor when all are lost.
const GRACE_SECONDS: u64 = 10;
/// After so many seconds the results of finished work are removed from the executors.
const KEPT_SECONDS: u64 = 60;

/// One part of a cluster.
#[derive(Debug, Parser)]
#[command(name = "lookalike-cluster")]
pub(crate) enum Role {
    /// Start a scheduler, which hands out the work of counting
    Scheduler(Scheduler),
    /// Start an executor, which counts
    Executor(Executor),
}

/// Where a scheduler listens.
#[derive(Debug, Args)]
pub(crate) struct Scheduler {
    /// The address on which it listens; other than the loopback address, anyone who reaches it can read files as you
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: std::net::IpAddr,
    /// The name by which executors and clients reach it
    #[arg(long, value_name = "HOST", default_value = "localhost")]
    host: String,
    /// Its port
    #[arg(long, default_value_t = 50_050)]
    port: u16,
}

/// What an executor gives and where it listens.
#[derive(Debug, Args)]
pub(crate) struct Executor {
    /// The scheduler, as HOST:PORT
    #[arg(long, value_name = "HOST:PORT", default_value = "localhost:50050")]
    scheduler: String,
    /// The address on which it listens; other than the loopback address, anyone who reaches it can read files as you
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    bind: std::net::IpAddr,
    /// The name by which others reach it [default: the address on which it listens]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Its port; the next one is used too
    #[arg(long, default_value_t = 50_051, value_parser = clap::value_parser!(u16).range(1..65_535))]
    port: u16,
    /// How many tasks it does at a time [default: all cores]
    #[arg(long, value_name = "N", default_value_t = 0)]
    cores: usize,
    /// How much memory its tasks may take in all [default: seven tenths of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = table::figures::bytes)]
    memory: Option<u64>,
    /// The folder for what is between two steps; it holds exact counts and parts of records [default: a temporary one, removed at the end]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

impl Role {
    /// Runs until it is stopped.
    pub(crate) fn run(self) -> ExitCode {
        let outcome = match self {
            Self::Scheduler(scheduler) => scheduler.run(),
            Self::Executor(executor) => executor.run(),
        };
        match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::FAILURE
            }
        }
    }
}

fn told(error: &BallistaError) -> String {
    error.to_string()
}

impl Scheduler {
    fn run(self) -> Result<(), String> {
        let address = SocketAddr::new(self.bind, self.port);
        let config = SchedulerConfig {
            bind_host: self.bind.to_string(),
            bind_port: self.port,
            external_host: self.host,
            executor_timeout_seconds: LOST_AFTER_SECONDS,
            expire_dead_executor_interval_seconds: LOOK_EVERY_SECONDS,
            no_executors_grace_period_seconds: GRACE_SECONDS,
            finished_job_data_clean_up_interval_seconds: KEPT_SECONDS,
            finished_job_state_clean_up_interval_seconds: KEPT_SECONDS,
            override_config_producer: Some(Arc::new(session_config_with_s3_support)),
            override_session_builder: Some(Arc::new(session_state_with_s3_support)),
            ..SchedulerConfig::default()
        };
        let runtime = runtime().map_err(|error| error.to_string())?;
        runtime.block_on(async {
            let cluster = BallistaCluster::new_from_config(&config).await.map_err(|error| told(&error))?;
            eprintln!("a scheduler listens on {address}");
            tokio::select! {
                ended = start_server(cluster, address, Arc::new(config)) => ended.map_err(|error| told(&error)),
                () = stopped() => Ok(()),
            }
        })
    }
}

impl Executor {
    fn run(self) -> Result<(), String> {
        let Some((host, port)) = self.scheduler.rsplit_once(':') else {
            return Err("--scheduler: say HOST:PORT".into());
        };
        let scheduler_port = port.parse().map_err(|_| "--scheduler: its port is not a number".to_owned())?;
        // Kept until the end of this function, and then removed with what is in it.
        let own = match self.work_dir {
            None => Some(tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?),
            Some(_) => None,
        };
        let folder =
            self.work_dir.or_else(|| own.as_ref().map(|own| own.path().to_owned())).unwrap_or_default();
        let config = ExecutorProcessConfig {
            bind_host: self.bind.to_string(),
            external_host: Some(self.host.unwrap_or_else(|| self.bind.to_string())),
            port: self.port,
            grpc_port: self.port + 1,
            scheduler_host: host.to_owned(),
            scheduler_port,
            scheduler_connect_timeout_seconds: 30,
            vcores: self.cores,
            work_dir: Some(folder.display().to_string()),
            job_data_ttl_seconds: KEPT_SECONDS,
            job_data_clean_up_interval_seconds: KEPT_SECONDS,
            executor_heartbeat_interval_seconds: HEARTBEAT_SECONDS,
            memory_pool_size: self.memory,
            override_config_producer: Some(Arc::new(session_config_with_s3_support)),
            override_runtime_producer: Some(spilling_to(folder)),
            ..ExecutorProcessConfig::default()
        };
        eprintln!("an executor listens on {}:{} and {}", config.bind_host, config.port, config.grpc_port);
        let runtime = runtime().map_err(|error| error.to_string())?;
        // It ends by itself after Ctrl-C or a termination signal.
        runtime.block_on(start_executor_process(Arc::new(config))).map_err(|error| told(&error))
    }
}

/// What the tasks of an executor share: object stores, and a folder for what does not fit into memory.
fn spilling_to(folder: PathBuf) -> RuntimeProducer {
    Arc::new(move |config: &SessionConfig| {
        let stores = config.options().extensions.get::<S3Options>().cloned().unwrap_or_default();
        RuntimeEnvBuilder::new()
            .with_temp_file_path(folder.clone())
            .with_object_store_registry(Arc::new(CustomObjectStoreRegistry::new(stores)))
            .build_arc()
    })
}

/// Ctrl-C, or a termination signal.
async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminated.recv() => {}
    }
}
