//! Durations as people write them: `20s`, `5m`, `14d`, `1h30m`.

use std::time::Duration;

/// Each unit once, largest first; the letter and its seconds.
const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// A hundred years: nothing is kept longer, and a Postgres interval holds it.
pub const LONGEST: Duration = Duration::from_secs(36_525 * 86_400);

/// Reads `1h30m`: numbers with the units w, d, h, m, s, each at most once and largest first; zero is `0s`.
///
/// # Errors
/// What is wrong with it, lower case, without the text itself.
pub fn parse(text: &str) -> Result<Duration, String> {
    let mut rest = text;
    let mut allowed = UNITS.iter();
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let Some(unit) = behind.chars().next() else {
            return Err(format!("the number {number} has no unit"));
        };
        if number.is_empty() {
            return Err(format!("there is no number before `{}`", unit.escape_default()));
        }
        let Some((_, length)) = allowed.find(|(letter, _)| *letter == unit) else {
            return Err(misplaced(unit));
        };
        let part = number.parse::<u64>().ok().and_then(|number| number.checked_mul(*length));
        seconds = part.and_then(|part| seconds.checked_add(part)).ok_or("it is longer than 100 years")?;
        rest = behind.get(unit.len_utf8()..).unwrap_or_default();
    }
    match Duration::from_secs(seconds) {
        _ if text.is_empty() => Err("it is empty".to_owned()),
        longer if longer > LONGEST => Err("it is longer than 100 years".to_owned()),
        duration => Ok(duration),
    }
}

fn misplaced(unit: char) -> String {
    if UNITS.iter().any(|(letter, _)| *letter == unit) {
        format!("`{unit}` stands after a smaller unit or a second time")
    } else {
        format!("`{}` is no unit", unit.escape_default())
    }
}

/// Writes whole seconds as `parse` reads them, without weeks: `14d`, `1h30m`, `0s`.
#[must_use]
pub fn format(duration: Duration) -> String {
    let mut left = duration.as_secs();
    let mut text = String::new();
    for (unit, length) in UNITS.iter().skip(1) {
        if left >= *length {
            text.push_str(&format!("{}{unit}", left / length));
            left %= length;
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

/// For `#[serde(with = "crate::duration::text")]`: a duration as its text.
pub mod text {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::format(*duration))
    }

    /// # Errors
    /// When it is no text or no duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        super::parse(&text).map_err(|wrong| D::Error::custom(format!("`{text}` is no duration: {wrong}")))
    }
}

/// For `#[serde(default, with = "crate::duration::optional", skip_serializing_if = "Option::is_none")]`.
pub mod optional {
    use std::time::Duration;

    use serde::{Deserializer, Serializer};

    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => super::text::serialize(duration, serializer),
            None => serializer.serialize_none(),
        }
    }

    /// # Errors
    /// When it is no text or no duration.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        super::text::deserialize(deserializer).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_manifest_shows() {
        for (text, seconds) in [
            ("20s", 20),
            ("2m", 120),
            ("14d", 1_209_600),
            ("75h", 270_000),
            ("1h30m", 5_400),
            ("2w1s", 1_209_601),
            ("0s", 0),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest_and_says_why() {
        for (text, why) in [
            ("", "it is empty"),
            ("20", "the number 20 has no unit"),
            ("s", "there is no number before `s`"),
            ("-5s", "there is no number before `-`"),
            ("1.5h", "`.` is no unit"),
            ("20 s", "` ` is no unit"),
            ("5min", "there is no number before `i`"),
            ("500ms", "there is no number before `s`"),
            ("30m1h", "`h` stands after a smaller unit or a second time"),
            ("1m1m", "`m` stands after a smaller unit or a second time"),
            ("5µ", "`\\u{b5}` is no unit"),
            ("101w99999999999999999999s", "it is longer than 100 years"),
            ("36526d", "it is longer than 100 years"),
        ] {
            assert_eq!(parse(text), Err(why.to_owned()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(seconds in 0..LONGEST.as_secs()) {
            let duration = Duration::from_secs(seconds);
            proptest::prop_assert_eq!(parse(&format(duration)), Ok(duration));
        }

        #[test]
        fn never_panics(text: String) {
            let _ = parse(&text);
        }
    }
}
