/// Postgres cannot keep U+0000, so what holds one is refused before anything is reserved.
fn refuse_nul(value: &Value) -> Result<(), LedgerError> {
    if has_nul(value) {
        Err(LedgerError::NulCharacter)
    } else {
        Ok(())
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
    }
}

/// What came back after the act is recorded whatever it holds: U+0000 becomes U+FFFD, and an empty
/// receipt says at least that it was accepted.
fn storable(receipt: Receipt) -> Receipt {
    let message_id = receipt.message_id.map(|id| {
        if id.contains('\0') {
            printable(&id)
        } else {
            id
        }
    });
    let result = receipt.result.map(|value| {
        if has_nul(&value) {
            without_nul(value)
        } else {
            value
        }
    });
    if message_id.is_none() && result.is_none() {
        Receipt::accepted()
    } else {
        Receipt { message_id, result }
    }
}

fn without_nul(value: Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
        Value::String(text) => Value::String(printable(&text)),
        Value::Array(items) => items.into_iter().map(without_nul).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (printable(&name), without_nul(value)))
            .collect(),
    }
}

fn printable(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

/// The error and what lies beneath it, which it may say itself; alone it often says little.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let beneath = error.to_string();
        if !text.contains(&beneath) {
            text.push_str(": ");
            text.push_str(&beneath);
        }
        cause = error.source();
    }
    text
}
