//! Text of others (keys, reasons, evidence, what a server says) as a terminal may show it.

use std::borrow::Cow;

/// The text with every character escaped that moves the cursor, colours, hides or turns other text around:
/// controls, line ends, bidirectional marks, characters of no width. All else stays, whatever its script.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_plain(letter) { out.push(letter) } else { out.extend(letter.escape_default()) }
    }
    Cow::Owned(out)
}

/// Whether a terminal merely shows a character.
#[must_use]
pub fn is_plain(letter: char) -> bool {
    let hides = matches!(letter,
        '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}' | '\u{feff}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    !letter.is_control() && !hides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_every_script_stays() {
        assert_eq!(shown("wamid.9:1"), "wamid.9:1");
        assert_eq!(shown("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
        assert_eq!(shown("a\u{1b}[2Jb\rc\nd\te\u{7f}\u{9b}"), "a\\u{1b}[2Jb\\rc\\nd\\te\\u{7f}\\u{9b}");
        assert_eq!(shown("\u{202e}cba\u{2066}\u{200b}\u{feff}"), "\\u{202e}cba\\u{2066}\\u{200b}\\u{feff}");
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_is_shown_is_a_control(text: String) {
            proptest::prop_assert!(!shown(&text).chars().any(char::is_control));
        }
    }
}
