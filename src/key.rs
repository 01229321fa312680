//! The canonical text of a key: the same from Rust and from SQL `key()`, held together by `tests/vectors/`.
//!
//! A part is first normalised by its [`PartType`], so that two spellings of one thing give one key; then the
//! parts are escaped and joined. The action type is not in the text: the primary key has it beside.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The longest joined text that is kept as it is, in octets; a longer one is hashed.
pub const MAX_PLAIN: usize = 128;

/// The shortest key that is handed to a provider, in octets: 22 base64url digits are 132 bits.
pub const MIN_PROVIDER_KEY: usize = 22;

/// A digest as text, in octets.
const DIGEST: usize = 43;

/// The type of a key part; fixes how a value becomes canonical text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartType {
    /// Byte for byte.
    Text,
    /// 64-bit, decimal.
    Integer,
    /// Lower case with hyphens.
    Uuid,
    /// `YYYY-MM-DD`.
    Date,
    /// The domain in lower case, then hashed.
    Email,
    /// IDNA to ASCII, lower case.
    Domain,
}

impl PartType {
    /// Every type with the name that the manifest gives it, sorted by name.
    pub const ALL: [(&str, PartType); 6] = [
        ("date", PartType::Date),
        ("domain", PartType::Domain),
        ("email", PartType::Email),
        ("integer", PartType::Integer),
        ("text", PartType::Text),
        ("uuid", PartType::Uuid),
    ];

    /// The type of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<PartType> {
        PartType::ALL.iter().find(|(known, _)| *known == name).map(|(_, part)| *part)
    }

    /// The name that the manifest gives it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PartType::Text => "text",
            PartType::Integer => "integer",
            PartType::Uuid => "uuid",
            PartType::Date => "date",
            PartType::Email => "email",
            PartType::Domain => "domain",
        }
    }

    /// Whether [`PartType::normalise`] gives this text for any value.
    #[must_use]
    pub fn gives(self, text: &str) -> bool {
        match self {
            PartType::Text => true,
            PartType::Email => is_digest(text),
            // One dot at the end is taken away, so that what still has one came from two.
            PartType::Domain => [text, &format!("{text}.")].into_iter().any(|value| domain(value) == text),
            PartType::Integer | PartType::Uuid | PartType::Date => self.normalise(text).is_ok_and(|same| same == text),
        }
    }

    /// The longest text of this type in a key, in octets; none where there is no limit.
    fn longest(self) -> Option<usize> {
        match self {
            PartType::Text | PartType::Domain => None,
            PartType::Integer => Some("-9223372036854775808".len()),
            PartType::Uuid => Some(36),
            PartType::Date => Some("-009999-12-31".len()),
            PartType::Email => Some(DIGEST),
        }
    }

    /// The text that stands for `value` in a key.
    ///
    /// # Errors
    /// When the text is no integer of 64 bits, no uuid or no date. Text, email and domain take anything: what
    /// is no domain is only lower-cased, what has no `@` is hashed as it is.
    pub fn normalise(self, value: &str) -> Result<String, Unreadable> {
        let unreadable = || Unreadable { part_type: self, value: value.to_owned() };
        match self {
            PartType::Text => Ok(value.to_owned()),
            PartType::Integer => value.parse::<i64>().map(|number| number.to_string()).map_err(|_| unreadable()),
            PartType::Uuid => uuid(value).ok_or_else(unreadable),
            PartType::Date => value.parse::<jiff::civil::Date>().map(|date| date.to_string()).map_err(|_| unreadable()),
            PartType::Email => Ok(email(value)),
            PartType::Domain => Ok(domain(value)),
        }
    }
}

/// A value that is not of its part's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What it should be.
    pub part_type: PartType,
    /// What it is.
    pub value: String,
}

/// The canonical text of parts that are normalised already: octets other than `A-Za-z0-9-._~` become `%XX`,
/// the parts are joined by `:`, and over [`MAX_PLAIN`] octets `#` and the digest stand for the whole.
///
/// No part, or a single empty one, gives the empty text, which no ledger takes.
#[must_use]
pub fn canonical<S: AsRef<str>>(parts: &[S]) -> String {
    let joined = parts.iter().map(|part| escape(part.as_ref())).collect::<Vec<_>>().join(":");
    if joined.len() > MAX_PLAIN { format!("#{}", digest(&joined)) } else { joined }
}

/// Why no parts of these types have a text as their key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// It has another number of parts: this many.
    Count(usize),
    /// The part at this place, from 0, is not as [`PartType::normalise`] gives it and [`canonical`] writes it.
    Part(usize),
    /// It is long or says that it is hashed, and the key of such parts is not.
    Whole,
}

/// Whether [`canonical`] gives this text for some parts of these types. Of a hashed one only its form is known.
///
/// # Errors
/// Why it gives it for none.
pub fn check(types: &[PartType], key: &str) -> Result<(), Foreign> {
    if let Some(hashed) = key.strip_prefix('#') {
        let longest = types.iter().map(|part| part.longest()).sum::<Option<usize>>();
        let fits = longest.is_some_and(|octets| octets + types.len().saturating_sub(1) <= MAX_PLAIN);
        return if is_digest(hashed) && !fits { Ok(()) } else { Err(Foreign::Whole) };
    }
    let parts: Vec<&str> = key.split(':').collect();
    if parts.len() != types.len() {
        return Err(Foreign::Count(parts.len()));
    }
    let strange = |(part, part_type): (&&str, &PartType)| !unescape(part).is_some_and(|text| part_type.gives(&text));
    match parts.iter().zip(types).position(strange) {
        Some(at) => Err(Foreign::Part(at)),
        None if key.len() > MAX_PLAIN => Err(Foreign::Whole),
        None => Ok(()),
    }
}

/// What a provider is given as the key: the digest of type and key, cut to the provider's length in octets.
/// `None` under [`MIN_PROVIDER_KEY`], where two actions might share one.
#[must_use]
pub fn provider_key(action_type: &str, key: &str, max_len: usize) -> Option<String> {
    if max_len < MIN_PROVIDER_KEY {
        return None;
    }
    let mut text = digest(&format!("{action_type}:{key}"));
    text.truncate(max_len);
    Some(text)
}

fn escape(part: &str) -> String {
    let mut escaped = String::with_capacity(part.len());
    for octet in part.bytes() {
        if octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~') {
            escaped.push(char::from(octet));
        } else {
            escaped.push_str(&format!("%{octet:02X}"));
        }
    }
    escaped
}

/// The text whose escaped form this is; none where it is nobody's.
fn unescape(escaped: &str) -> Option<String> {
    let mut pieces = escaped.split('%');
    let mut octets = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        octets.push(u8::from_str_radix(piece.get(..2)?, 16).ok()?);
        octets.extend(piece.get(2..)?.bytes());
    }
    String::from_utf8(octets).ok().filter(|text| escape(text) == escaped)
}

fn is_digest(text: &str) -> bool {
    URL_SAFE_NO_PAD.decode(text).is_ok_and(|octets| octets.len() == 32)
}

fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}

fn domain(text: &str) -> String {
    let ascii = idna::domain_to_ascii(text).unwrap_or_else(|_| text.to_owned()).to_lowercase();
    ascii.strip_suffix('.').unwrap_or(&ascii).to_owned()
}

fn email(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((local, host)) => digest(&format!("{local}@{}", domain(host))),
        None => digest(text),
    }
}

/// 32 hexadecimal digits in any of the usual spellings (hyphens, braces, `urn:uuid:`) as lower case with hyphens.
fn uuid(text: &str) -> Option<String> {
    let bare = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let bare = bare.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(bare);
    let hyphenated = bare.len() == 36 && [8, 13, 18, 23].iter().all(|at| bare.as_bytes().get(*at) == Some(&b'-'));
    let digits: String = if hyphenated { bare.replace('-', "") } else { bare.to_owned() }.to_ascii_lowercase();
    if digits.len() != 32 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32];
    Some(groups.map(|group| digits.get(group).unwrap_or_default()).join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct KeyVector {
        parts: Vec<String>,
        key: String,
    }

    #[derive(serde::Deserialize)]
    struct NormalisedVector {
        #[serde(rename = "type")]
        part_type: PartType,
        value: String,
        text: String,
    }

    #[derive(serde::Deserialize)]
    struct ProviderVector {
        action_type: String,
        key: String,
        max_len: usize,
        provider_key: Option<String>,
    }

    fn vectors<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
        let vectors: Vec<T> = serde_json::from_str(text).unwrap();
        assert!(vectors.len() > 5);
        vectors
    }

    #[test]
    fn keys_are_the_shared_vectors() {
        for vector in vectors::<KeyVector>(include_str!("../tests/vectors/keys.json")) {
            assert_eq!(canonical(&vector.parts), vector.key, "{:?}", vector.parts);
        }
    }

    #[test]
    fn parts_are_normalised_as_the_shared_vectors() {
        for vector in vectors::<NormalisedVector>(include_str!("../tests/vectors/normalised.json")) {
            let text = vector.part_type.normalise(&vector.value);
            assert_eq!(text.as_ref(), Ok(&vector.text), "{} {:?}", vector.part_type.name(), vector.value);
        }
    }

    #[test]
    fn provider_keys_are_the_shared_vectors() {
        for vector in vectors::<ProviderVector>(include_str!("../tests/vectors/provider_keys.json")) {
            assert_eq!(provider_key(&vector.action_type, &vector.key, vector.max_len), vector.provider_key);
        }
    }

    #[test]
    fn values_of_another_type_are_refused() {
        for (part_type, value) in [
            (PartType::Integer, ""),
            (PartType::Integer, "1.0"),
            (PartType::Integer, "9223372036854775808"),
            (PartType::Uuid, "67e55044-10b1-426f-9247-bb680e5fe0"),
            (PartType::Uuid, "67e5504410b1426f9247bb680e5fe0cé"),
            (PartType::Date, "2026-02-30"),
        ] {
            assert!(part_type.normalise(value).is_err(), "{} {value:?}", part_type.name());
        }
    }

    #[test]
    fn type_names_are_sorted_and_those_of_the_types() {
        assert!(PartType::ALL.is_sorted_by_key(|(name, _)| *name));
        assert!(PartType::ALL.iter().all(|(name, part)| part.name() == *name));
    }

    #[test]
    fn a_key_that_no_parts_have_is_known_from_one_that_some_have() {
        use PartType::{Date, Domain, Email, Integer, Text, Uuid};
        const UUID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";
        let hashed = canonical(&["x".repeat(200)]);
        let kim = email("kim@example.org");
        for (types, key, answer) in [
            (&[Uuid][..], UUID, Ok(())),
            (&[Uuid], "not-a-uuid", Err(Foreign::Part(0))),
            (&[Uuid], &UUID.to_uppercase(), Err(Foreign::Part(0))),
            (&[Uuid], &hashed, Err(Foreign::Whole)),
            (&[Text, Integer], "wamid.8:1", Ok(())),
            (&[Text, Integer], "wamid.8%3D:-1", Ok(())),
            (&[Text, Integer], ":1", Ok(())),
            (&[Text, Integer], &hashed, Ok(())),
            (&[Text, Integer], "#hashed", Err(Foreign::Whole)),
            (&[Text, Integer], "wamid.8", Err(Foreign::Count(1))),
            (&[Text, Integer], "bad:key:x", Err(Foreign::Count(3))),
            (&[Text, Integer], "wamid.8:x", Err(Foreign::Part(1))),
            (&[Text, Integer], "wamid.8:01", Err(Foreign::Part(1))),
            (&[Text, Integer], "wamid.8=:1", Err(Foreign::Part(0))),
            (&[Text, Integer], "wamid.8%3d:1", Err(Foreign::Part(0))),
            (&[Text, Integer], "wamid.8%41:1", Err(Foreign::Part(0))),
            (&[Text, Integer], "wamid.8%+1:1", Err(Foreign::Part(0))),
            (&[Text, Integer], "wamid.8%C3:1", Err(Foreign::Part(0))),
            (&[Text], &"x".repeat(129), Err(Foreign::Whole)),
            (&[Date], "2026-01-06", Ok(())),
            (&[Date], "2026-1-6", Err(Foreign::Part(0))),
            (&[Domain], "example.org", Ok(())),
            (&[Domain], "Example.org", Err(Foreign::Part(0))),
            (&[Email], &kim, Ok(())),
            (&[Email], "kim%40example.org", Err(Foreign::Part(0))),
        ] {
            assert_eq!(check(types, key), answer, "{types:?} {key}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_key_of_parts_is_taken_for_one(parts: Vec<(String, i64)>, name in "[A-Za-z.\\u{e0}-\\u{ff}-]{0,12}") {
            proptest::prop_assume!(!parts.is_empty());
            let mut types = vec![PartType::Domain, PartType::Email];
            let mut texts = vec![domain(&name), email(&name)];
            for (text, number) in &parts {
                types.extend([PartType::Text, PartType::Integer, PartType::Domain]);
                texts.extend([text.clone(), number.to_string(), domain(text)]);
            }
            proptest::prop_assert_eq!(check(&types, &canonical(&texts)), Ok(()));
        }

        #[test]
        fn different_parts_never_share_a_key(a: Vec<String>, b: Vec<String>) {
            proptest::prop_assume!(!a.is_empty() && !b.is_empty() && a != b);
            proptest::prop_assert_ne!(canonical(&a), canonical(&b));
        }

        #[test]
        fn keys_are_printable_and_short(parts: Vec<String>) {
            let key = canonical(&parts);
            proptest::prop_assert!(key.len() <= MAX_PLAIN && key.bytes().all(|octet| octet.is_ascii_graphic()));
        }
    }
}
