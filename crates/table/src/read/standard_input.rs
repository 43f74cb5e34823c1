//! Standard input as a table that can be read more than once.

use std::io::Read;
use std::sync::OnceLock;

use crate::watch::{Step, Watch};

/// The name of standard input where a data file is wanted; a file of that name is `./-`.
pub const STANDARD_INPUT: &str = "-";

/// All bytes of standard input, which are read the first time and then kept in memory: a table is looked at more than once, and confidential
/// records are not to lie about as a file that a killed process would leave behind.
pub fn standard_input(watch: &Watch) -> std::io::Result<&'static [u8]> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = BYTES.get() {
        return Ok(bytes);
    }
    let mut stdin = std::io::stdin().lock();
    let (mut bytes, mut block) = (Vec::new(), vec![0; 1 << 20]);
    loop {
        watch.check_io()?;
        match stdin.read(&mut block) {
            Ok(0) => break,
            Ok(length) => {
                bytes.extend_from_slice(&block[..length]);
                watch.report(Step::Reading { bytes: length as u64, of: None });
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(BYTES.get_or_init(|| bytes))
}
