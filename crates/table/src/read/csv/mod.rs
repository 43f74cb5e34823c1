//! CSV files: comma, semicolon or tab; quoted fields with newlines; BOM; CRLF.
//!
//! The file is cut into blocks at record ends, and blocks are parsed on all cores straight into typed pieces of columns; no
//! field is ever a `String` of its own. The reader is ours because the fields of a confidential table must not be guessed at:
//! every deviation has its own error with a line and a column.

pub(super) mod blocks;
mod fields;
pub(super) mod header;
pub(super) mod parse;
mod plain;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::missing_words::is_missing_word;
use super::pieces::{Growing, Piece, ReadAgainAsText};
use super::{Expectation, ReadOptions, bounds, learn};
use crate::schema::DecimalMark;
use crate::{FileProblem, Table, TableError};
use blocks::{Block, Blocks};
pub(super) use parse::ordinary_number;
use parse::{Parsed, Plan};

/// Opens the file again; it is read a second time when a column turns out to be text late.
pub(super) type Open<'a> = &'a dyn Fn() -> std::io::Result<Box<dyn Read + Send>>;

/// Blocks parsed at a time; as many are read meanwhile, and the start of one more is kept back.
fn blocks_per_batch() -> usize {
    4 * rayon::current_num_threads()
}

/// Reads a CSV file.
pub(super) fn read(
    path: &Path,
    open: Open<'_>,
    packed: bool,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let failed = |problem| TableError::file(path, problem);
    let open = || open().map_err(|source| TableError::io(path, source));
    let mut blocks = Blocks::new(open()?);
    let start = blocks.peek_start().map_err(|source| TableError::io(path, source))?;
    let header = header::parse(start, options.separator).map_err(failed)?;
    bounds::check_csv(path, start, header.names.len(), packed)?;
    let expectations = options.expectations(path, &header.names)?;
    let (expected, tokens): (Vec<_>, Vec<_>) = expectations.into_iter().unzip();
    let mut decimal = options.decimal_mark();
    let mut plan = Plan::new(header, expected, tokens, decimal);
    let is_told = options.decimal.is_some() || options.schema.is_some();
    loop {
        match read_columns(path, blocks, &plan)? {
            Ok(columns) if columns[0].len() == 0 => return Err(failed(FileProblem::NoRows)),
            Ok(columns) if !is_told && decimal == DecimalMark::Point && shows_decimal_commas(&columns) => {
                decimal = DecimalMark::Comma;
                let header::Header { names, .. } = &plan.header;
                let expectations = options.expectations(path, names)?;
                let (expected, tokens): (Vec<_>, Vec<_>) = expectations.into_iter().unzip();
                plan = Plan::new(plan.header, expected, tokens, decimal);
                blocks = Blocks::new(open()?);
            }
            Ok(columns) => {
                let (schema, columns) = learn::table(plan.header.names, columns, &[])?.into_parts();
                let schema = Arc::unwrap_or_clone(schema).with_decimal(decimal);
                return Table::new(Arc::new(schema), columns);
            }
            Err(again) => {
                again.into_iter().for_each(|column| plan.expected[column] = Expectation::Text);
                blocks = Blocks::new(open()?);
            }
        }
    }
}

/// Whether the numbers of a file are written with a decimal comma: a column holds nothing else, words for missing apart, some of its commas cannot stand
/// between thousands, and no column holds a number with a decimal point.
fn shows_decimal_commas(columns: &[Piece]) -> bool {
    let has_point = columns.iter().any(|piece| match piece {
        Piece::Real(numbers) => numbers.values().any(|value| value.fract() != 0.0),
        _ => false,
    });
    let is_written_so = |piece: &Piece| {
        let Piece::Text(text) = piece else { return false };
        let texts = || text.dictionary.iter().map(String::as_str).filter(|text| !is_missing_word(text));
        let commas = || texts().filter_map(|text| text.split_once(','));
        let between_thousands = |(before, after): (&str, &str)| {
            after.len() == 3 && !matches!(before.strip_prefix('-').unwrap_or(before), "" | "0")
        };
        commas().next().is_some()
            && texts().all(|text| ordinary_number(text, DecimalMark::Comma).is_some())
            && !commas().all(between_thousands)
    };
    !has_point && columns.par_iter().any(is_written_so)
}

/// All columns, or the positions of those that must be read again as text.
fn read_columns(
    path: &Path,
    mut blocks: Blocks,
    plan: &Plan,
) -> Result<Result<Vec<Piece>, Vec<usize>>, TableError> {
    let failed = |problem| TableError::file(path, problem);
    blocks.start_after(plan.header.bytes, plan.header.lines, plan.header.separator);
    let mut columns: Vec<Growing> = plan.header.names.iter().map(|_| Growing::default()).collect();
    let mut hints = plan.expected.clone();
    let mut blank_line: Option<u64> = None;
    let next_batch = |blocks: &mut Blocks| -> std::io::Result<Vec<Block>> {
        (0..blocks_per_batch()).map_while(|_| blocks.next_block().transpose()).collect()
    };
    let mut batch = next_batch(&mut blocks).map_err(|source| TableError::io(path, source))?;
    let mut is_first = true;
    while !batch.is_empty() {
        let (parsed, next) = rayon::join(
            || batch.par_iter().map(|block| parse::parse(block, plan, &hints)).collect::<Vec<_>>(),
            || next_batch(&mut blocks),
        );
        let mut arrived: Vec<Vec<Piece>> = columns.iter().map(|_| Vec::new()).collect();
        for part in parsed {
            let Parsed { pieces, first_line, blank } = part.map_err(failed)?;
            if let (Some(line), Some(_)) = (blank_line, first_line) {
                return Err(failed(plan.ragged(line, 0)));
            }
            blank_line = blank_line.or(blank);
            for (column, piece) in pieces.into_iter().enumerate() {
                if plan.expected[column] == Expectation::Infer {
                    hints[column] = match piece {
                        Piece::Text(_) => Expectation::Text,
                        _ => Expectation::Infer,
                    };
                }
                arrived[column].push(piece);
            }
        }
        let append = |(column, pieces): (&mut Growing, Vec<Piece>)| {
            pieces.into_iter().for_each(|piece| column.append(piece));
        };
        columns.par_iter_mut().zip(arrived).for_each(append);
        if std::mem::take(&mut is_first) {
            let bytes: usize = batch.iter().map(|block| block.bytes.len()).sum();
            let file_bytes = std::fs::metadata(path).map_or(0, |file| file.len());
            let times = file_bytes as f64 / bytes.max(1) as f64;
            columns.iter_mut().for_each(|column| column.reserve(1.02 * times));
        }
        batch = next.map_err(|source| TableError::io(path, source))?;
    }
    let joined: Vec<Result<Piece, ReadAgainAsText>> = columns.into_par_iter().map(Growing::finish).collect();
    let again: Vec<usize> = (0..joined.len()).filter(|column| joined[*column].is_err()).collect();
    if !again.is_empty() {
        return Ok(Err(again));
    }
    Ok(Ok(joined.into_iter().flatten().collect()))
}
