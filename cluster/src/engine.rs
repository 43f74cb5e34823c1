//! Parquet files as a table of DataFusion: counted by this process, or by the executors of a Ballista scheduler.
//!
//! Queries run on a runtime of their own, and their rows come back by a channel, so that work that is cancelled here ends there. A cluster runs lost tasks again by itself; where it loses a
//! result that was made, the query is run again, which changes nothing because rows are handed over when all are here.

use std::io::{Read as _, Write as _};
use std::net::ToSocketAddrs as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista::prelude::SessionContextExt as _;
use ballista_core::object_store::{CustomObjectStoreRegistry, S3Options, session_config_with_s3_support};
use datafusion::arrow::array::{Array, AsArray as _};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int32Type, Int64Type, UInt64Type};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::TableReference;
use datafusion::datasource::file_format::options::{ParquetReadOptions, ReadOptions as _};
use datafusion::datasource::listing::{ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::object_store::ObjectStore;
use datafusion::prelude::SessionContext;
use engines::EngineError;
use futures::StreamExt as _;
use table::TableError;
use table::sql::{Answer, Answers, ColumnType, Dialect, Engine, EngineColumn};
use table::watch::Watch;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::failure::Failure;
use crate::files::{Listing, url_of};
use crate::place::{ParquetPlace, Workers};

/// How often a query is run on a cluster whose results get lost.
const ATTEMPTS: usize = 3;

/// How often the watch is asked.
const LOOK: Duration = Duration::from_millis(200);

/// How long a scheduler may take to answer.
const REACHED_WITHIN: Duration = Duration::from_secs(10);

/// A table of Parquet files.
pub(crate) struct ParquetEngine {
    runtime: Runtime,
    context: SessionContext,
    workers: Workers,
    watch: Watch,
    store: Arc<dyn ObjectStore>,
    url: ListingTableUrl,
    listing: Listing,
}

/// The threads of an engine; plans are trees that are walked deep.
pub(crate) fn runtime() -> Result<Runtime, EngineError> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(32 << 20).build();
    built.map_err(|error| EngineError::usage(format!("the engine could not start its threads: {error}")))
}

impl ParquetEngine {
    /// Finds the files, and the scheduler if there is one.
    pub(crate) fn open(place: &ParquetPlace, watch: Watch) -> Result<Self, EngineError> {
        watch.check()?;
        let workers = place.workers.clone();
        if !is_reached(&workers) {
            return Err(Failure::Connection.sentence(&workers).into());
        }
        if !has_executors(&workers) {
            return Err(Failure::NoExecutors.sentence(&workers).into());
        }
        let runtime = runtime()?;
        let could_not = |error: DataFusionError| EngineError::from(Failure::of(&error).sentence(&workers));
        let context = runtime.block_on(context(place)).map_err(could_not)?;
        let url = ListingTableUrl::parse(url_of(&place.files)?.as_str()).map_err(could_not)?;
        let store = context.runtime_env().object_store(&url).map_err(could_not)?;
        let listing = runtime
            .block_on(Listing::of(store.as_ref(), &url))
            .map_err(|_| EngineError::from(Failure::Files.sentence(&workers)))?;
        let partitions = listing.partitions()?;
        let table = runtime.block_on(listed(&context, &url, partitions)).map_err(could_not)?;
        context.register_table(TableReference::bare(place.table_name()), table).map_err(could_not)?;
        Ok(Self { runtime, context, workers, watch, store, url, listing })
    }

    /// Runs a query and hands over its batches.
    fn batches(
        &self,
        query: &str,
        each: &mut dyn FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), Failed> {
        let (context, query) = (self.context.clone(), query.to_owned());
        let (sender, mut receiver) = mpsc::channel(4);
        let task = self.runtime.spawn(async move {
            let sent = async {
                let mut rows = context.sql(&query).await?.execute_stream().await?;
                while let Some(batch) = rows.next().await {
                    let batch = batch?;
                    if sender.send(Ok(batch)).await.is_err() {
                        break;
                    }
                }
                Ok::<(), DataFusionError>(())
            };
            if let Err(error) = sent.await {
                // Nobody listens any more if this fails.
                let _ = sender.send(Err(error)).await;
            }
        });
        let received = loop {
            let next = self.runtime.block_on(async { tokio::time::timeout(LOOK, receiver.recv()).await });
            if let Err(cancelled) = self.watch.check() {
                break Err(Failed::Here(cancelled));
            }
            match next {
                Err(_) => {}
                Ok(None) => break Ok(()),
                Ok(Some(Ok(batch))) => {
                    if let Err(error) = each(&batch) {
                        break Err(Failed::Here(error));
                    }
                }
                Ok(Some(Err(error))) => break Err(Failed::There(Failure::of(&error))),
            }
        };
        task.abort();
        received
    }

    /// The batches of a query that a cluster runs, once all are here; again if its workers lost them.
    fn collected(&self, query: &str) -> Result<Vec<RecordBatch>, Failed> {
        let mut attempt = 1;
        loop {
            let (mut held, mut bytes) = (Vec::new(), 0);
            let run = self.batches(query, &mut |batch| {
                bytes += batch.get_array_memory_size() as u64;
                table::memory::require(bytes, "the counts of the cluster")?;
                held.push(batch.clone());
                Ok(())
            });
            match run {
                Ok(()) => return Ok(held),
                Err(Failed::There(Failure::Connection))
                    if attempt < ATTEMPTS && is_reached(&self.workers) =>
                {
                    attempt += 1;
                }
                Err(failed) => return Err(failed),
            }
        }
    }

    /// Refuses if the files are not those of the opening.
    fn require_unchanged(&self) -> Result<(), TableError> {
        let now = self.runtime.block_on(Listing::of(self.store.as_ref(), &self.url));
        self.listing.require_unchanged(&now.map_err(|_| Failure::Files.sentence(&self.workers))?)
    }

    fn told(&self, failed: Failed) -> TableError {
        match failed {
            Failed::Here(error) => error,
            Failed::There(failure) => failure.sentence(&self.workers),
        }
    }
}

/// Who could not.
enum Failed {
    Here(TableError),
    There(Failure),
}

/// Whether there is a scheduler to talk to, where one is needed.
fn is_reached(workers: &Workers) -> bool {
    let Workers::Cluster { host, port } = workers else { return true };
    let name = host.trim_start_matches('[').trim_end_matches(']');
    let Ok(addresses) = (name, *port).to_socket_addrs() else { return false };
    addresses
        .into_iter()
        .any(|address| std::net::TcpStream::connect_timeout(&address, REACHED_WITHIN).is_ok())
}

/// Whether the scheduler has executors, for which it may wait a moment; one that does not say so is believed to have some.
fn has_executors(workers: &Workers) -> bool {
    let Workers::Cluster { host, port } = workers else { return true };
    let says_none = || {
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let mut scheduler = std::net::TcpStream::connect((name, *port)).ok()?;
        scheduler.set_read_timeout(Some(REACHED_WITHIN)).ok()?;
        scheduler
            .write_all(
                format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
            )
            .ok()?;
        let mut answer = [0; 12];
        scheduler.read_exact(&mut answer).ok()?;
        Some(answer.ends_with(b" 503"))
    };
    let until = Instant::now() + REACHED_WITHIN;
    while says_none() == Some(true) {
        if Instant::now() > until {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

/// A session with the settings that counting needs.
async fn context(place: &ParquetPlace) -> Result<SessionContext, DataFusionError> {
    let mut config = session_config_with_s3_support()
        // Texts as views took half the time of texts as copies.
        .set_bool("datafusion.execution.parquet.schema_force_view_types", true)
        .set_bool("datafusion.sql_parser.map_string_types_to_utf8view", true)
        .set_str("ballista.job.name", "lookalike");
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    match (place.partitions, &place.workers) {
        (Some(partitions), _) => config = config.with_target_partitions(partitions),
        (None, Workers::Here) => config = config.with_target_partitions(cores),
        (None, Workers::Cluster { .. }) => {}
    }
    let mut runtime = RuntimeEnvBuilder::new()
        .with_object_store_registry(Arc::new(CustomObjectStoreRegistry::new(S3Options::default())))
        // Exact counts are not left on a disk by this process.
        .with_disk_manager_builder(DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled));
    if let Some(room) = table::memory::room() {
        runtime = runtime.with_memory_limit(usize::try_from(room).unwrap_or(usize::MAX), 1.0);
    }
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime.build_arc()?)
        .with_default_features()
        .build();
    match &place.workers {
        Workers::Here => Ok(SessionContext::new_with_state(state)),
        Workers::Cluster { host, port } => {
            SessionContext::remote_with_state(&format!("df://{host}:{port}"), state).await
        }
    }
}

/// The files as a table, subfolders as columns.
async fn listed(
    context: &SessionContext,
    url: &ListingTableUrl,
    partitions: Vec<String>,
) -> Result<Arc<dyn TableProvider>, DataFusionError> {
    let columns = partitions.into_iter().map(|name| (name, DataType::Utf8)).collect();
    let options = ParquetReadOptions::default()
        .table_partition_cols(columns)
        .to_listing_options(&context.copied_config(), context.copied_table_options());
    let config = ListingTableConfig::new(url.clone()).with_listing_options(options);
    let config = config.infer_schema(&context.state()).await?;
    Ok(Arc::new(ListingTable::try_new(config)?))
}

impl Engine for ParquetEngine {
    fn dialect(&self) -> Dialect {
        Dialect::DataFusion
    }

    fn query(&self, query: &str, each: Answers<'_>) -> Result<(), TableError> {
        self.watch.check()?;
        let mut hand_over = |batch: &RecordBatch| {
            (0..batch.num_rows()).try_for_each(|row| {
                each(batch.columns().iter().map(|column| answer(column, row)).collect::<Result<_, _>>()?)
            })
        };
        let done = match &self.workers {
            Workers::Here => self.batches(query, &mut hand_over),
            Workers::Cluster { .. } => self
                .collected(query)
                .and_then(|held| held.iter().try_for_each(&mut hand_over).map_err(Failed::Here)),
        };
        // Files that changed are the cause, whatever came of it.
        if !matches!(done, Err(Failed::Here(TableError::Cancelled))) {
            self.require_unchanged()?;
        }
        done.map_err(|failed| self.told(failed))
    }

    fn columns(&self, from: &str) -> Result<Vec<EngineColumn>, TableError> {
        let described = self.runtime.block_on(self.context.sql(&format!("SELECT * FROM {from} LIMIT 0")));
        let described = described.map_err(|error| Failure::of(&error).sentence(&self.workers))?;
        let column = |field: &Arc<datafusion::arrow::datatypes::Field>| EngineColumn {
            name: field.name().clone(),
            holds: holds(field.data_type()),
        };
        Ok(described.schema().fields().iter().map(column).collect())
    }

    fn notes(&self, _: &str) -> Result<Vec<String>, TableError> {
        let Workers::Cluster { host, .. } = &self.workers else { return Ok(Vec::new()) };
        let mut notes =
            vec!["executors keep exact counts, and parts of records, in their working folders until they are cleaned up".to_owned()];
        let name = host.trim_start_matches('[').trim_end_matches(']');
        let is_here = name == "localhost"
            || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        if !is_here {
            notes.push(
                "connections within this cluster are neither encrypted nor checked for who connects; it belongs into a network of its own".to_owned(),
            );
        }
        Ok(notes)
    }
}

/// What a row says in one column.
fn answer(column: &dyn Array, row: usize) -> Result<Answer, TableError> {
    if column.is_null(row) || *column.data_type() == DataType::Null {
        return Ok(Answer::Null);
    }
    Ok(match column.data_type() {
        DataType::Int64 => Answer::Class(column.as_primitive::<Int64Type>().value(row)),
        DataType::Int32 => Answer::Class(column.as_primitive::<Int32Type>().value(row).into()),
        DataType::UInt64 => match i64::try_from(column.as_primitive::<UInt64Type>().value(row)) {
            Ok(value) => Answer::Class(value),
            Err(_) => return Err(TableError::schema("engine", "it answered with a number above 2^63")),
        },
        DataType::Float64 => Answer::Number(column.as_primitive::<Float64Type>().value(row)),
        DataType::Utf8 => Answer::Text(column.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Answer::Text(column.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Answer::Text(column.as_string_view().value(row).to_owned()),
        _ => return Err(TableError::schema("engine", "it answered with something that is no count")),
    })
}

/// What a column of this type holds.
fn holds(held: &DataType) -> ColumnType {
    match held {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ColumnType::Text,
        DataType::Boolean => ColumnType::Boolean,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => ColumnType::Real,
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => ColumnType::Real,
        DataType::Date32 | DataType::Date64 => ColumnType::Date,
        DataType::Timestamp(_, zone) => ColumnType::Timestamp { universal: zone.is_some() },
        DataType::Time32(_) | DataType::Time64(_) => ColumnType::Time,
        DataType::Dictionary(_, values) => holds(values),
        held if held.is_integer() => ColumnType::Whole,
        other => ColumnType::Other(other.to_string()),
    }
}
