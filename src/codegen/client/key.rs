use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// The longest joined text that is a key as it is, in octets; a longer one is hashed.
const MAX_PLAIN: usize = 128;

/// The shortest key that a provider is given: 22 base64url digits are 132 bits.
const MIN_PROVIDER_KEY: usize = 22;

/// One act on the world, named by what makes it the same act: the types in [`keys`].
pub trait Action {
    /// Its type, as the manifest and the ledger name it.
    const TYPE: &'static str;

    /// What every attempt at this act has in common, and no attempt at another.
    fn key(&self) -> Key;
}

/// The canonical text of a key, the same as SQL `key()` gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    action_type: &'static str,
    text: String,
}

impl Key {
    /// The canonical text: 1 to 128 printable ASCII characters, no blanks.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The action's type.
    #[must_use]
    pub fn action_type(&self) -> &'static str {
        self.action_type
    }

    /// The key to hand to a provider that takes one of at most `max_len` characters (43 are all
    /// there are): a digest of type and key, so that it tells the provider nothing.
    ///
    /// # Errors
    /// Under 22 characters, where two actions might share one.
    pub fn provider_key(&self, max_len: usize) -> Result<String, KeyTooShort> {
        if max_len < MIN_PROVIDER_KEY {
            return Err(KeyTooShort { max_len });
        }
        let mut text = digest(&format!("{}:{}", self.action_type, self.text));
        text.truncate(max_len);
        Ok(text)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A provider's key was asked for in a length in which two actions might share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTooShort {
    /// The length that was asked for.
    pub max_len: usize,
}

impl fmt::Display for KeyTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let max_len = self.max_len;
        write!(
            f,
            "a key of {max_len} characters is too short; {MIN_PROVIDER_KEY} is the least"
        )
    }
}

impl std::error::Error for KeyTooShort {}

/// Joins the parts of a key, each brought into the one spelling that its type has.
struct Parts {
    action_type: &'static str,
    joined: String,
    first: bool,
}

impl Parts {
    fn new(action_type: &'static str) -> Self {
        Self {
            action_type,
            joined: String::with_capacity(MAX_PLAIN),
            first: true,
        }
    }

    fn text(&mut self, value: &str) {
        self.push(value);
    }

    fn integer(&mut self, value: i64) {
        self.push(&value.to_string());
    }

    fn uuid(&mut self, value: Uuid) {
        let mut digits = Uuid::encode_buffer();
        self.push(value.hyphenated().encode_lower(&mut digits));
    }

    /// A part is escaped before it is joined, so that no two lists of parts give one text.
    fn push(&mut self, part: &str) {
        use fmt::Write as _;

        if !self.first {
            self.joined.push(':');
        }
        self.first = false;
        for octet in part.bytes() {
            if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) {
                self.joined.push(char::from(octet));
            } else {
                // Into a text it cannot fail.
                let _ = write!(self.joined, "%{octet:02X}");
            }
        }
    }

    fn key(self) -> Key {
        let text = if self.joined.len() > MAX_PLAIN {
            format!("#{}", digest(&self.joined))
        } else {
            self.joined
        };
        Key {
            action_type: self.action_type,
            text,
        }
    }
}

fn digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
