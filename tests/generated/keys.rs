//! The keys of the generated types: the same text as SQL `key()` and as `onlyonce::key` give.

use onlyonce::key::{PartType, canonical, provider_key};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

use super::client::keys::Everything;
use super::client::{Action as _, KeyTooShort};
use super::world::World;

const CASES: usize = 400;

type Values = (String, i64, u128, String, String);

/// Any text that Postgres takes, and texts that look like what they should be.
fn values() -> impl Strategy<Value = Values> {
    let text = "[^\\x00]{0,40}";
    let name = "[a-zA-Z0-9äÖßçñ日本._-]{0,12}";
    let domain = prop_oneof![text, (name, name).prop_map(|(a, b)| format!("{a}.{b}"))];
    let email = prop_oneof![text.prop_map(|text| text), (name, name).prop_map(|(a, b)| format!("{a}@{b}.Example."))];
    (text, any::<i64>(), any::<u128>(), email, domain)
}

fn normalised((text, number, id, email, domain): &Values) -> Vec<String> {
    let parts = [
        (PartType::Text, text.clone()),
        (PartType::Integer, number.to_string()),
        (PartType::Uuid, Uuid::from_u128(*id).to_string()),
        (PartType::Email, email.clone()),
        (PartType::Domain, domain.clone()),
    ];
    parts.iter().map(|(part_type, value)| part_type.normalise(value).unwrap()).collect()
}

#[tokio::test]
async fn keys_are_those_of_sql_and_of_the_key_rules() {
    let world = World::new().await;
    let client = world.database.connect().await;
    let by_sql = client.prepare("SELECT onlyonce.key('everything', $1)").await.unwrap();
    let mut runner = TestRunner::default();
    for _ in 0..CASES {
        let case = values().new_tree(&mut runner).unwrap().current();
        let (text, number, id, email, domain) = &case;
        let key = Everything { text, number: *number, id: Uuid::from_u128(*id), email, domain }.key();
        let parts = normalised(&case);
        assert_eq!(key.as_str(), canonical(&parts), "{case:?}");
        let by_sql = client.query_one(&by_sql, &[&parts]).await.unwrap();
        assert_eq!(by_sql.get::<_, String>(0), key.as_str(), "{case:?}");
    }
}

#[test]
fn a_providers_key_is_cut_to_its_length_and_never_too_short() {
    let key = super::client::keys::Reply { message: "m1" }.key();
    for length in [22, 25, 45, 255] {
        assert_eq!(key.provider_key(length).ok(), provider_key("reply", "m1", length));
    }
    assert_eq!(key.provider_key(21), Err(KeyTooShort { max_len: 21 }));
}
