//! Turns a file of SPSS, Stata or SAS into one of SPSS or Stata: `cargo run -p lookalike-labelled --example convert -- in.dta out.sav`.

use labelled::{Program, SpssCompression, read, write_spss, write_stata};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = names.as_slice() else { return Err("name a file to read and one to write".into()) };
    let bytes = std::fs::read(from)?;
    let program = Program::of(&bytes).ok_or("it is no file of SPSS, Stata or SAS")?;
    let file = read(program, &bytes)?;
    let mut sink = std::fs::File::create(to)?;
    match to.rsplit('.').next() {
        Some("dta") => write_stata(&file, &mut sink)?,
        Some("zsav") => write_spss(&file, SpssCompression::Zlib, &mut sink)?,
        _ => write_spss(&file, SpssCompression::Bytecode, &mut sink)?,
    }
    println!("{} records × {} columns", file.rows, file.columns.len());
    Ok(())
}
