//! The verdict alone, on evidence made by hand: each sort of finding, and what is none.

use onlyonce::chaos::journal::{Accepted, Line};
use onlyonce::chaos::verdict::{Entry, Evidence, Expected, Kind, State, Waiting, is_open, judge};

fn expected(event: usize) -> Expected {
    Expected {
        event,
        fault: "kill-after-acceptance",
        doubtful: true,
        acknowledged: true,
        event_id: Some(format!("wamid.{event}")),
        provider: "send_reply".to_owned(),
        act: format!("to-{event}"),
        model: false,
        action: "send_reply".to_owned(),
        key: Some(format!("wamid.{event}:1")),
    }
}

fn accepted(event: usize, id: &str, payload: &str) -> Accepted {
    Accepted {
        at_ms: 1,
        action: "send_reply".to_owned(),
        act: format!("to-{event}"),
        event: Some(event),
        key: None,
        payload: payload.to_owned(),
        message_id: id.to_owned(),
    }
}

fn entry(event: usize, state: State, message_id: Option<&str>) -> Entry {
    Entry {
        action: Some("send_reply".to_owned()),
        key: format!("wamid.{event}:1"),
        state,
        status: "as it says".to_owned(),
        message_id: message_id.map(str::to_owned),
    }
}

/// Kind and event of each finding.
fn kinds(evidence: &Evidence<'_>) -> Vec<(Kind, Option<usize>)> {
    judge(evidence).into_iter().map(|finding| (finding.kind, finding.event)).collect()
}

#[test]
fn one_accepted_and_recorded_act_an_event_is_no_finding() {
    let (wanted, got) = ([expected(1), expected(2)], [accepted(1, "msg-1", "a"), accepted(2, "msg-2", "a")]);
    let rows = [entry(1, State::Sent, Some("msg-1")), entry(2, State::Waiting, None)];
    let evidence = Evidence { expected: &wanted, accepted: &got, entries: Some(&rows), ..Evidence::default() };
    assert_eq!(kinds(&evidence), []);
}

#[test]
fn a_second_acceptance_is_a_duplicate_and_another_payload_a_contradiction() {
    let wanted = [expected(1)];
    let same = [accepted(1, "msg-1", "a"), accepted(1, "msg-2", "a")];
    let evidence = Evidence { expected: &wanted, accepted: &same, ..Evidence::default() };
    assert_eq!(kinds(&evidence), [(Kind::Duplicate, Some(1))]);
    let other = [accepted(1, "msg-1", "a"), accepted(1, "msg-2", "b")];
    let evidence = Evidence { accepted: &other, ..evidence };
    assert_eq!(kinds(&evidence), [(Kind::Duplicate, Some(1)), (Kind::Contradiction, Some(1))]);
    // Also where no event leads to it: it reached somebody.
    let evidence = Evidence { expected: &[], ..evidence };
    assert_eq!(kinds(&evidence).len(), 2);
}

#[test]
fn a_key_that_goes_with_two_acts_is_a_contradiction() {
    let key = Some("k".to_owned());
    let got = [1, 2].map(|event| Accepted { key: key.clone(), ..accepted(event, "msg", "a") });
    let wanted = [expected(1), expected(2)];
    let evidence = Evidence { expected: &wanted, accepted: &got, ..Evidence::default() };
    assert_eq!(kinds(&evidence), [(Kind::Contradiction, Some(1))]);
}

#[test]
fn a_model_may_be_asked_again_only_in_doubt() {
    let got = [accepted(1, "msg-1", "a"), accepted(1, "msg-2", "a")];
    let asked = |doubtful: bool| {
        let wanted = [Expected { model: true, doubtful, ..expected(1) }];
        kinds(&Evidence { expected: &wanted, accepted: &got, ..Evidence::default() })
    };
    assert_eq!(asked(true), []);
    assert_eq!(asked(false), [(Kind::Duplicate, Some(1))]);
}

#[test]
fn what_came_to_nothing_is_lost_unless_it_is_refused_or_waits() {
    let wanted = [expected(1)];
    let with = |rows: &[Entry], waiting: &[Waiting]| {
        kinds(&Evidence { expected: &wanted, entries: Some(rows), waiting, ..Evidence::default() })
    };
    let lost = [(Kind::Lost, Some(1))];
    assert_eq!(with(&[], &[]), lost);
    assert_eq!(with(&[entry(1, State::Sent, Some("msg-1"))], &[]), lost);
    assert_eq!(with(&[entry(1, State::Open, None)], &[]), lost);
    assert_eq!(with(&[entry(2, State::Waiting, None)], &[]), lost);
    assert_eq!(with(&[entry(1, State::Waiting, None)], &[]), []);
    assert_eq!(with(&[entry(1, State::Failed, None)], &[]), []);
    let inbound = |key: &str| Waiting {
        class: "inbound".to_owned(),
        action: "whatsapp".to_owned(),
        key: key.to_owned(),
        reason: None,
    };
    assert_eq!(with(&[], &[inbound("wamid.1")]), []);
    assert_eq!(with(&[], &[inbound("wamid.2")]), lost);
    // A row that was never acted on is not settled by its event that waits.
    assert_eq!(with(&[entry(1, State::Sent, None)], &[inbound("wamid.1")]), lost);
    // Without a ledger the provider alone tells.
    assert_eq!(kinds(&Evidence { expected: &wanted, ..Evidence::default() }), lost);
    let model = [Expected { model: true, ..expected(1) }];
    assert_eq!(kinds(&Evidence { expected: &model, ..Evidence::default() }), []);
}

#[test]
fn what_is_in_hand_or_without_a_trace_is_still_open() {
    let (wanted, got) = ([expected(1)], [accepted(1, "msg-1", "a")]);
    let with = |accepted: &[Accepted], rows: &[Entry]| {
        is_open(&Evidence { expected: &wanted, accepted, entries: Some(rows), ..Evidence::default() })
    };
    assert!(with(&[], &[]));
    assert!(with(&got, &[entry(1, State::Open, None)]));
    assert!(!with(&got, &[]), "a ledger may hold nothing of what is done");
    for state in [State::Sent, State::Failed, State::Waiting] {
        assert!(!with(&[], &[entry(1, state, None)]));
    }
}

#[test]
fn a_row_that_says_what_the_provider_does_not_is_misrecorded() {
    let (wanted, got) = ([expected(1)], [accepted(1, "msg-1", "a")]);
    let with = |row: Entry| {
        kinds(&Evidence { expected: &wanted, accepted: &got, entries: Some(&[row]), ..Evidence::default() })
    };
    assert_eq!(with(entry(1, State::Failed, None)), [(Kind::Misrecorded, Some(1))]);
    assert_eq!(with(entry(1, State::Sent, Some("msg-9"))), [(Kind::Misrecorded, Some(1))]);
    assert_eq!(with(entry(1, State::Sent, None)), []);
    assert_eq!(with(entry(1, State::Waiting, None)), []);
    // A team's own ledger has no types.
    assert_eq!(with(Entry { action: None, ..entry(1, State::Failed, None) }), [(Kind::Misrecorded, Some(1))]);
}

#[test]
fn a_finding_tells_what_happened_to_its_event_alone() {
    let line = |event: Option<usize>, text: &str| Line { at_ms: 0, event, fault: false, text: text.to_owned() };
    let lines = [line(Some(1), "one"), line(Some(2), "two"), line(None, "of the run"), line(Some(1), "three")];
    let (wanted, got) = ([expected(1)], [accepted(1, "msg-1", "a"), accepted(1, "msg-2", "a")]);
    let found = judge(&Evidence { expected: &wanted, accepted: &got, lines: &lines, ..Evidence::default() });
    let told: Vec<&str> = found[0].timeline.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(told, ["one", "three"]);
    assert_eq!(found[0].fault.as_deref(), Some("kill-after-acceptance"));
}
