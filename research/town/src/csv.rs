//! The table as CSV text (RFC 4180, with a bare line feed at the end of a line).

use crate::{Income, Resident, VARIABLES};
use std::borrow::Cow;

pub(crate) fn write(residents: impl Iterator<Item = Resident>) -> String {
    let mut text = VARIABLES.join(",") + "\n";
    for resident in residents {
        let fields = fields(&resident);
        for (k, field) in fields.iter().enumerate() {
            text.push_str(if k == 0 { "" } else { "," });
            text.push_str(&quoted(field));
        }
        text.push('\n');
    }
    text
}

/// The fields of a record in the order of [`VARIABLES`], not yet quoted; empty where missing.
fn fields(one: &Resident) -> [Cow<'static, str>; 14] {
    [
        one.sex.label().into(),
        one.age.to_string().into(),
        one.district.label().into(),
        one.marital.label().into(),
        one.married_on.map(|day| day.to_string()).unwrap_or_default().into(),
        one.education.label().into(),
        one.occupation.branch.name.into(),
        one.occupation.group.name.into(),
        one.occupation.title.into(),
        match one.income {
            Income::NotApplicable => "-8".into(),
            Income::Missing => "".into(),
            Income::Amount(amount) => amount.to_string().into(),
        },
        one.disability.label().into(),
        one.hsize.to_string().into(),
        one.rooms.map(|rooms| rooms.to_string()).unwrap_or_default().into(),
        one.pperroom_thousandths().map(decimal).unwrap_or_default().into(),
    ]
}

fn decimal(thousandths: u32) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// Quotes a field with a comma or a quotation mark in it, and doubles the marks.
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"']) {
        format!("\"{}\"", field.replace('"', "\"\"")).into()
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Town;

    const FIRST_LINES: &str = r#"sex,age,district,marital,married_on,education,occ1,occ2,occ3,income,disability,hsize,rooms,pperroom
FEMALE,28,Harbour Side,MARRIED,2023-07-08,PRIMARY OR LESS,Trade and transport,Road transport,Taxi driver,650,None,3,6,0.500
MALE,35,Harbour Side,MARRIED,2018-11-10,VOCATIONAL,"Schools, science and culture",College,Librarian,2870,None,3,4,0.750
MALE,77,Orchard End,MARRIED,1979-11-10,BACHELOR,Not in paid work,Retired,"Retired, no pension",1300,None,2,3,0.667
"#;

    /// FNV-1a, 64 bits.
    fn fingerprint(text: &str) -> u64 {
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }

    /// If this fails without a change to the town being meant, the same seed now gives other people.
    #[test]
    fn the_town_is_the_same_everywhere() {
        let text = Town::default().csv();
        assert!(text.starts_with(FIRST_LINES), "{}", &text[..500]);
        assert_eq!(fingerprint(&text), 0x3a82_58d8_481f_4365);
        assert_eq!(text, Town::default().csv());
        assert_ne!(text, Town::new(20_000, 15).csv());
        assert!(text.starts_with(&Town::new(100, 14).csv()), "a small town is the beginning of a large one");
    }

    /// Read back by another program, every record has its fields, and quoting changed none of them.
    #[test]
    fn another_reader_reads_the_same_fields() {
        let text = Town::default().csv();
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        assert!(reader.headers().unwrap().iter().eq(VARIABLES));
        let mut people = Town::default().residents();
        let mut read = 0;
        for record in reader.records() {
            let one = people.next().unwrap();
            assert!(record.unwrap().iter().eq(fields(&one).iter()), "{one:?}");
            read += 1;
        }
        assert_eq!((read, people.next()), (20_000, None));
        assert!(text.contains(r#","Mate of the ""Second Glance""","#));
    }
}
