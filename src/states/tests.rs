use std::collections::BTreeSet;

use super::*;

fn whole() -> &'static Table {
    table().unwrap()
}

#[test]
fn each_pair_stands_once_and_by_somebody() {
    let pairs: BTreeSet<_> = whole().changes.iter().map(|change| (change.from, change.to)).collect();
    assert_eq!(pairs.len(), whole().changes.len(), "a pair stands twice");
    for change in &whole().changes {
        assert_ne!(change.from, change.to, "{change}");
        assert!(!change.by.is_empty(), "{change} is made by nobody");
    }
}

#[test]
fn states_are_written_as_they_are_read() {
    for state in State::ALL {
        let read: State = serde_json::from_value(serde_json::Value::String(state.to_string())).unwrap();
        assert_eq!(read, state);
    }
}

#[test]
fn every_state_is_reached_from_a_start() {
    let mut reached: BTreeSet<State> = whole().starts.iter().map(|start| start.to).collect();
    for _ in State::ALL {
        let next = whole().changes.iter().filter(|change| reached.contains(&change.from)).map(|change| change.to);
        let next: Vec<State> = next.collect();
        reached.extend(next);
    }
    assert_eq!(reached, BTreeSet::from(State::ALL));
}

#[test]
fn what_is_final_is_what_is_forgotten() {
    let finals: Vec<State> = State::ALL.into_iter().filter(|state| whole().is_final(*state)).collect();
    assert_eq!(finals, [State::Sent, State::Abandoned]);
    assert_eq!(whole().ends.iter().map(|end| end.from).collect::<Vec<_>>(), finals);
}

#[test]
fn attempts_begin_with_a_reservation_alone() {
    for change in &whole().changes {
        let begins = change.to == State::Pending;
        assert_eq!(begins, change.attempt == Attempt::Next, "{change}");
        // An import tells of one that began, and was lost.
        let mut calls = change.by.keys().filter(|call| **call != Call::Import);
        assert!(!begins || (calls.next() == Some(&Call::Reserve) && calls.next().is_none()), "{change}");
    }
}

#[test]
fn no_timer_leads_to_a_send() {
    for change in &whole().changes {
        for call in change.by.keys() {
            let timer = matches!(call, Call::Sweep | Call::Purge);
            assert!(!timer || change.to == State::Unknown, "{change} by {call:?}");
        }
        // From silence to another attempt: a person, or a type that is safe to repeat.
        if change.from == State::Unknown && matches!(change.to, State::Pending | State::Released) {
            assert!(change.guard.contains(&Condition::PastDeadline), "{change}");
            let person = change.by.values().all(|cause| cause.needs.contains(&Condition::Person));
            assert!(person || change.guard.contains(&Condition::MayRetry), "{change}");
        }
    }
}

#[test]
fn only_the_holder_tells_what_came_of_an_attempt() {
    for change in &whole().changes {
        if let Some(cause) = change.by.get(&Call::Record) {
            assert!(cause.needs.contains(&Condition::Token) && cause.says.is_some(), "{change}");
        }
    }
}

#[test]
fn a_person_names_the_attempt_that_was_looked_at() {
    for change in &whole().changes {
        if let Some(cause) = change.by.get(&Call::Resolve) {
            assert!(cause.needs.contains(&Condition::Attempt) && cause.needs.contains(&Condition::Person), "{change}");
        }
    }
}
