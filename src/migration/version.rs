//! What orders migrations, and which version comes next.

use jiff::Timestamp;

use super::layout::{Counting, Order, Spec};
use crate::diagnostic::Fault;

/// Where a version stands among others; a later one is greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Numbers of any length, as digit count and digits.
    Numbers(Vec<(usize, String)>),
    /// Text.
    Text(String),
}

/// The rank of a version that stands in `path`.
#[must_use]
pub fn rank(order: Order, version: &str, path: &str) -> Rank {
    match order {
        Order::FileName => Rank::Text(path.rsplit('/').next().unwrap_or(path).to_owned()),
        Order::Text => Rank::Text(version.replace('-', "")),
        Order::Number => {
            let mut parts: Vec<(usize, String)> = version
                .split(['.', '_', '-'])
                .map(|part| part.trim_start_matches('0'))
                .map(|digits| (digits.len(), digits.to_owned()))
                .collect();
            while parts.len() > 1 && parts.last().is_some_and(|(length, _)| *length == 0) {
                parts.pop();
            }
            Rank::Numbers(parts)
        }
    }
}

/// The version after `newest`, in the way that the folder counts already; the first one of an empty folder
/// counts as the tool likes. `newest` is version and path of the newest migration.
///
/// # Errors
/// When the tool would not order the new version after the newest, or cannot keep it.
pub fn next(spec: &Spec, newest: Option<(&str, &str)>, now: Timestamp, name: &str) -> Result<String, Fault> {
    let version = match newest {
        None => first(spec, now),
        Some((version, _)) => after(spec, version, now)?,
    };
    if let Some((old, path)) = newest
        && rank(spec.order, &version, &spec.up.write(&version, name)) <= rank(spec.order, old, path)
    {
        return Err(Fault::new(format!("no version after {path} is ordered after it: names are compared as text"))
            .with_help("give the files of the folder versions of one length"));
    }
    in_range(spec, &version)?;
    Ok(version)
}

fn in_range(spec: &Spec, version: &str) -> Result<(), Fault> {
    let leading = version.replace('-', "");
    let leading = leading.split(['.', '_']).next().unwrap_or_default();
    match leading.parse::<u64>() {
        Ok(number) if (1..=spec.greatest).contains(&number) => Ok(()),
        _ => Err(Fault::new(format!("version {version} does not fit: the tool keeps 1 to {}", spec.greatest))
            .with_help("rename the newest migration to a smaller version, if it is not applied anywhere yet")),
    }
}

/// `YYYYMMDDHHMMSS` in UTC.
fn digits(now: Timestamp) -> String {
    jiff::tz::Offset::UTC.to_datetime(now).strftime("%Y%m%d%H%M%S").to_string()
}

fn first(spec: &Spec, now: Timestamp) -> String {
    match spec.version {
        Counting::Number => format!("{:0>width$}", 1, width = spec.digits),
        Counting::Stamp => digits(now),
        Counting::DashedStamp => dashed(&digits(now)),
    }
}

fn after(spec: &Spec, newest: &str, now: Timestamp) -> Result<String, Fault> {
    let plain = newest.replace('-', "");
    let (front, last) = match plain.rfind(['.', '_']) {
        Some(at) => plain.split_at(at + 1),
        None => ("", plain.as_str()),
    };
    let stamp = digits(now);
    if front.is_empty() && is_date(last) && stamp.get(..last.len()).is_some_and(|cut| cut > last) {
        let cut = &stamp[..last.len()];
        return Ok(if cut.len() == stamp.len() && spec.version == Counting::DashedStamp {
            dashed(cut)
        } else {
            cut.to_owned()
        });
    }
    let number: u64 = last.parse().map_err(|_| {
        Fault::new(format!("{newest} is no version that a number can follow"))
            .with_help("rename the newest migration, if it is not applied anywhere yet")
    })?;
    let next = format!("{front}{:0>width$}", number.saturating_add(1), width = last.len());
    Ok(if is_date(last) && last.len() == stamp.len() && spec.version == Counting::DashedStamp {
        dashed(&next)
    } else {
        next
    })
}

/// Year, month, day and maybe hour, minute and second without anything between; all zeros, as in diesel's
/// `00000000000000_diesel_initial_setup`, stand before every date.
fn is_date(digits: &str) -> bool {
    let dated = digits.starts_with("19") || digits.starts_with("20") || digits.bytes().all(|digit| digit == b'0');
    matches!(digits.len(), 8 | 10 | 12 | 14) && dated
}

/// `20261129120000` as diesel spells it; other lengths as they are.
fn dashed(digits: &str) -> String {
    match (digits.get(..4), digits.get(4..6), digits.get(6..8), digits.get(8..)) {
        (Some(year), Some(month), Some(day), Some(time)) => format!("{year}-{month}-{day}-{time}"),
        _ => digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Layout;

    fn after_file(layout: Layout, newest: Option<(&str, &str)>) -> Result<String, String> {
        let now = Timestamp::from_second(1_764_374_400).unwrap();
        next(layout.spec(), newest, now, "x").map_err(|fault| fault.message)
    }

    #[test]
    fn an_empty_folder_counts_as_its_tool_likes() {
        let firsts = crate::migration::layout::ALL.map(|layout| after_file(layout, None).unwrap());
        let stamp = "20251129000000";
        assert_eq!(firsts, [stamp, "2025-11-29-000000", "1", stamp, stamp, "001", "1", stamp]);
    }

    #[test]
    fn a_folder_keeps_its_way_of_counting() {
        let sqlx = |newest: &str| after_file(Layout::Sqlx, Some((newest, "f"))).unwrap();
        assert_eq!(sqlx("0007"), "0008");
        assert_eq!(sqlx("9"), "10");
        assert_eq!(sqlx("20200101000000"), "20251129000000");
        assert_eq!(sqlx("20200101"), "20251129");
        assert_eq!(sqlx("20991231235959"), "20991231235960", "a stamp ahead of the clock is still followed");
        assert_eq!(after_file(Layout::Flyway, Some(("1.9", "V1.9__a.sql"))).unwrap(), "1.10");
        let diesel = |newest: &str| after_file(Layout::Diesel, Some((newest, newest))).unwrap();
        assert_eq!(diesel("2020-01-01-000000"), "2025-11-29-000000");
        assert_eq!(diesel("2099-01-01-000000"), "2099-01-01-000001");
        assert_eq!(diesel("00000000000000"), "2025-11-29-000000");
    }

    #[test]
    fn what_the_tool_cannot_order_or_keep_is_refused() {
        assert!(after_file(Layout::Dbmate, Some(("9", "9_a.sql"))).unwrap_err().contains("compared as text"));
        assert!(
            after_file(Layout::Refinery, Some(("2147483647", "V2147483647__a.sql")))
                .unwrap_err()
                .contains("2147483647")
        );
        assert!(after_file(Layout::Refinery, Some(("20200101000000", "V20200101000000__a.sql"))).is_err());
    }

    #[test]
    fn ranks_follow_the_tools() {
        let number = |version| rank(Order::Number, version, "");
        assert!(number("10") > number("9"));
        assert!(number("1.10") > number("1.9"));
        assert_eq!(number("1.0"), number("001"));
        assert!(rank(Order::FileName, "10", "10_a.sql") < rank(Order::FileName, "1", "1_b.sql"));
        assert!(rank(Order::Text, "2026-01-01-000000", "") > rank(Order::Text, "20250101000000", ""));
    }
}
