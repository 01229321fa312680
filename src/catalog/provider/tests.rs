use super::*;

#[test]
fn every_file_parses_under_its_own_name_and_none_is_left_out() {
    for (name, text) in FILES {
        let provider: Provider = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(provider.name, *name);
    }
    assert_eq!(all().len(), FILES.len());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("lints/providers");
    let mut files: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(FILES.iter().map(|(name, _)| format!("{name}.toml")).collect::<Vec<_>>(), files);
}

#[test]
fn lists_are_sorted() {
    assert!(FILES.is_sorted_by_key(|(name, _)| *name));
    for provider in all() {
        assert!(provider.hosts.is_sorted() && provider.crates.is_sorted(), "{}", provider.name);
        let recalled = provider.outbound.iter().map(|out| &out.recalled);
        for list in recalled.chain(provider.inbound.iter().map(|inbound| &inbound.recalled)) {
            assert!(list.is_sorted(), "{}", provider.name);
        }
    }
}

#[test]
fn no_host_or_crate_belongs_to_two() {
    let mut seen = std::collections::BTreeSet::new();
    for provider in all() {
        for name in provider.hosts.iter().chain(&provider.crates) {
            assert!(seen.insert(name), "{name} of {} is another's too", provider.name);
        }
    }
}

#[test]
fn what_is_recalled_is_a_field_that_is_there() {
    for provider in all() {
        for (table, recalled) in [
            (serde_json::to_value(&provider.outbound), provider.outbound.as_ref().map(|out| &out.recalled)),
            (serde_json::to_value(&provider.inbound), provider.inbound.as_ref().map(|inbound| &inbound.recalled)),
        ] {
            let table = table.unwrap();
            for field in recalled.into_iter().flatten() {
                assert!(table.get(field).is_some_and(|value| !value.is_null()), "{}: {field}", provider.name);
            }
        }
    }
}

#[test]
fn documented_facts_have_sources_and_recalled_ones_have_none() {
    for provider in all() {
        let outbound = provider.outbound.iter().map(|out| (out.confidence, &out.source));
        for (confidence, source) in
            outbound.chain(provider.inbound.iter().map(|inbound| (inbound.confidence, &inbound.source)))
        {
            match confidence {
                Confidence::Documented | Confidence::Inferred => assert!(!source.is_empty(), "{}", provider.name),
                Confidence::Recalled => assert!(source.is_empty(), "{}", provider.name),
                Confidence::Unknown => {}
            }
            assert!(source.iter().all(|address| address.starts_with("https://")), "{}", provider.name);
        }
    }
}

#[test]
fn a_key_has_a_place_exactly_where_its_kind_says_so_and_windows_are_in_order() {
    for provider in all() {
        if let Some(outbound) = &provider.outbound {
            assert_eq!(outbound.native_key.is_none(), outbound.native_kind == NativeKind::None, "{}", provider.name);
            assert!(outbound.key_window_min <= outbound.key_window, "{}", provider.name);
        }
        if let Some(inbound) = &provider.inbound {
            assert!(inbound.redelivery_window <= inbound.redelivery_window_max, "{}", provider.name);
        }
    }
}

#[test]
fn the_longest_redelivery_counts_what_people_can_ask_for() {
    let redelivery = |name: &str| find(name).unwrap().inbound.as_ref().unwrap().longest_redelivery();
    let github = redelivery("github").unwrap();
    assert_eq!((github.field, github.window), ("manual_replay_window_max", Duration::from_secs(168 * 3600)));
    let stripe = redelivery("stripe").unwrap();
    assert_eq!((stripe.field, stripe.window), ("manual_replay_window", Duration::from_secs(720 * 3600)));
    assert_eq!(redelivery("standard_webhooks").unwrap().field, "redelivery_window_max");
    assert_eq!(redelivery("paypal").unwrap().confidence, Confidence::Recalled);
    assert_eq!(redelivery("front"), None);
}

#[test]
fn a_subdomain_is_the_provider_s_and_a_longer_name_is_not() {
    let slack = find("slack").unwrap();
    assert!(slack.owns_host("slack.com") && slack.owns_host("hooks.slack.com"));
    assert!(!slack.owns_host("notslack.com") && !slack.owns_host("slack.com.evil.example"));
    assert!(find("slack ").is_none());
}
