//! The states as inline SVG: four boxes on a grid, and lines that never cross.

use crate::docs::html::escape;
use crate::docs::machine::{Machine, State, Step};

const BOX_WIDTH: i32 = 150;
const BOX_HEIGHT: i32 = 56;

/// Where a label stands and how it is aligned.
struct Label {
    x: i32,
    y: i32,
    anchor: &'static str,
}

/// A line from one point to another with its label.
struct Line {
    from: (i32, i32),
    to: (i32, i32),
    label: Label,
}

/// The picture.
pub(super) fn svg(machine: &Machine) -> String {
    let lines: String = machine.steps.iter().map(step).collect();
    let boxes: String = [State::Pending, State::Sent, State::Unknown, State::Failed].map(state).concat();
    format!(
        "<figure class=\"machine\"><svg viewBox=\"0 0 800 330\" role=\"img\" aria-label=\"{}\">\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0 10 5 0 10z\"/></marker></defs>\n\
         <circle cx=\"70\" cy=\"68\" r=\"7\"/>\n{lines}{boxes}</svg></figure>\n",
        escape(machine.title)
    )
}

/// The upper left corner of a state's box.
fn corner(state: State) -> (i32, i32) {
    match state {
        State::Start => (63, 40),
        State::Pending => (180, 40),
        State::Sent => (590, 40),
        State::Failed => (180, 240),
        State::Unknown => (590, 240),
    }
}

fn state(state: State) -> String {
    let (x, y) = corner(state);
    let name = state.name();
    let (middle, base) = (x + BOX_WIDTH / 2, y + BOX_HEIGHT / 2 + 6);
    format!(
        "<g class=\"{name}\"><rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"10\"/>\
         <text x=\"{middle}\" y=\"{base}\">{name}</text></g>\n"
    )
}

fn step(step: &Step) -> String {
    let Some(Line { from, to, label }) = line(step.from, step.to) else { return String::new() };
    let words: String = step
        .words
        .lines()
        .enumerate()
        .map(|(at, line)| {
            format!("<tspan x=\"{}\" dy=\"{}\">{}</tspan>", label.x, if at == 0 { 0 } else { 17 }, escape(line))
        })
        .collect();
    let class = if (step.from, step.to) == (State::Unknown, State::Pending) { " class=\"retry\"" } else { "" };
    format!(
        "<path{class} d=\"M{} {}L{} {}\" marker-end=\"url(#tip)\"/>\
         <text class=\"step\" text-anchor=\"{}\" y=\"{}\">{words}</text>\n",
        from.0, from.1, to.0, to.1, label.anchor, label.y
    )
}

/// Where a step is drawn; steps that the ledger forbids have no line.
fn line(from: State, to: State) -> Option<Line> {
    let (from, to, (x, y, anchor)) = match (from, to) {
        (State::Start, State::Pending) => ((77, 68), (178, 68), (127, 56, "middle")),
        (State::Pending, State::Sent) => ((330, 68), (588, 68), (459, 56, "middle")),
        (State::Pending, State::Failed) => ((225, 96), (225, 238), (213, 160, "end")),
        (State::Failed, State::Pending) => ((285, 240), (285, 98), (297, 175, "start")),
        (State::Pending, State::Unknown) => ((330, 90), (588, 245), (458, 140, "start")),
        (State::Unknown, State::Pending) => ((590, 262), (322, 98), (486, 232, "end")),
        (State::Unknown, State::Sent) => ((665, 240), (665, 98), (677, 160, "start")),
        (State::Unknown, State::Failed) => ((590, 280), (332, 280), (459, 300, "middle")),
        _ => return None,
    };
    Some(Line { from, to, label: Label { x, y, anchor } })
}
