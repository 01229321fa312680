//! The statement that refuses a table whose rows break a guarantee already, and names them.

use crate::lint::rows::Offence;
use crate::schema::literal::dollars;

/// The statement; `None` where there is nothing to ask.
pub(super) fn refusal(offences: &[Offence]) -> Option<String> {
    if offences.is_empty() {
        return None;
    }
    let all = offences.iter().map(Offence::sql).collect::<Vec<_>>().join(",\n    ");
    let body = format!(
        "\nDECLARE\n  \
         onlyonce_bad text;\nBEGIN\n  onlyonce_bad := concat_ws(E'\\n',\n    {all});\n  \
         IF onlyonce_bad <> '' THEN\n    \
         RAISE EXCEPTION 'these rows break what would be guaranteed: %', onlyonce_bad\n      \
         USING ERRCODE = 'integrity_constraint_violation',\n            \
         HINT = 'Decide what becomes of each of them, mend it, and run this migration again. Nothing was changed.';\n  \
         END IF;\nEND\n"
    );
    let body = dollars("rows", &body);
    Some(format!("-- Rows that break a guarantee already are named, and nothing is changed.\nDO {body}"))
}
