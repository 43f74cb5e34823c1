//! Files that are not read, known by their first bytes, with the way out.

/// As many bytes as are looked at.
pub(super) const START: usize = 512;

/// What a file is that begins with these bytes and is not read, and what to do; `None` if it may be one that is read.
pub(super) fn way_out(start: &[u8]) -> Option<String> {
    let holds = |words: &[u8]| start.windows(words.len()).any(|window| window == words);
    let csv = "save the table as CSV or Parquet";
    let from_r = "save the table in R with `write.csv(x, \"x.csv\", row.names = FALSE)` or `arrow::write_parquet(x, \"x.parquet\")`";
    let from_python = "save the table with pandas or polars as CSV or Parquet";
    let unpack = "unpack it and name the table in it";
    let (what, way) = match start {
        [b'P', b'K', 3, 4, ..] if holds(b"opendocument.spreadsheet") => ("an OpenDocument file (.ods)", csv),
        [b'P', b'K', 3 | 5, ..] => ("a ZIP archive", unpack),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => ("an old Excel file (.xls)", "open it and save it as .xlsx"),
        _ if start.starts_with(b"RDX2\n") || start.starts_with(b"RDX3\n") => {
            ("an R workspace (.RData)", from_r)
        }
        [b'X' | b'A', b'\n', 0, 0, 0, 2 | 3, ..] => ("an R object (.rds)", from_r),
        [b'F', b'E', b'A', b'1', ..] => {
            ("a Feather file of version 1", "save it as Feather version 2 or Parquet")
        }
        [b'O', b'R', b'C', ..] if start.get(3).is_some_and(|byte| !byte.is_ascii_graphic()) => {
            ("an ORC file", csv)
        }
        [b'O', b'b', b'j', 1, ..] => ("an Avro file", csv),
        _ if start.starts_with(b"SQLite format 3\0") => ("an SQLite database", "export the table as CSV"),
        [0x89, b'H', b'D', b'F', ..] => ("an HDF5 file", from_python),
        [0x80, 2..=5, ..] => ("a Python pickle", from_python),
        [0xfd, b'7', b'z', b'X', b'Z', ..] => ("compressed with xz", "unpack it with `xz -d`"),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', ..] => {
            ("compressed with bzip2", "unpack it with `bzip2 -d`")
        }
        [0x04, 0x22, 0x4d, 0x18, ..] => ("compressed with lz4", "unpack it with `lz4 -d`"),
        [b'7', b'z', 0xbc, 0xaf, ..] => ("a 7z archive", unpack),
        _ if start.get(257..262) == Some(b"ustar") => ("a tar archive", unpack),
        _ if start.starts_with(b"%PDF") => ("a PDF document", "ask for the table itself, as CSV or Parquet"),
        _ => {
            let text = start.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(start).trim_ascii_start();
            let begins =
                |words: &[u8]| text.get(..words.len()).is_some_and(|same| same.eq_ignore_ascii_case(words));
            let after = |bracket: u8| text.strip_prefix(&[bracket]).map(<[u8]>::trim_ascii_start);
            let is_json = after(b'[').is_some_and(|rest| matches!(rest, [b'{' | b'[' | b']', ..]));
            if is_json {
                ("a JSON list", "write one object a line, for example with `jq -c '.[]'`")
            } else if begins(b"<!doctype html") || begins(b"<html") {
                ("a web page", "download the table itself")
            } else if begins(b"<?xml") {
                ("an XML file", csv)
            } else {
                return None;
            }
        }
    };
    Some(format!("this is {what}, which is not read; {way}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_files_are_called_by_their_name() {
        let tar = [&[b'a'; 257][..], b"ustar\0"].concat();
        let files: [(&[u8], &str); 13] = [
            (b"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "OpenDocument"),
            (b"PK\x03\x04\x14\0people.csv", "ZIP archive"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel file (.xls)"),
            (b"RDX3\nX\n", "R workspace"),
            (b"X\n\0\0\0\x03", "R object"),
            (b"SQLite format 3\0", "SQLite"),
            (b"\xfd7zXZ\0", "xz"),
            (b"BZh91AY&SY", "bzip2"),
            (&tar, "tar archive"),
            (b"%PDF-1.7", "PDF"),
            (b"[\n  {\"a\": 1}]", "JSON"),
            (b"<!DOCTYPE HTML><head>", "web page"),
            (b"<?xml version=\"1.0\"?>", "XML"),
        ];
        for (start, name) in files {
            let message = way_out(start).unwrap_or_default();
            assert!(message.contains(name) && message.contains(';'), "{name}: {message}");
        }
    }

    #[test]
    fn tables_are_not_taken_for_something_else() {
        for start in [
            "a,b\n1,2\n",
            "ORC,height\n",
            "PKW,b\n",
            "iso\n1\n",
            "BZh,a\n",
            "[a],b\n1,2\n",
            "{a},b\n",
            "Obj,1\n",
            "X\n1\n",
            "",
            "7zwerg\n",
        ] {
            assert_eq!(way_out(start.as_bytes()), None, "{start}");
        }
    }
}
