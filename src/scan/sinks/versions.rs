//! Calls of a crate that the catalog has under another type, or that another version of it has.

use crate::catalog::call::{Call, CrateCalls};
use crate::scan::sinks::Context;
use crate::scan::sinks::matching::Leaving;
use crate::scan::sinks::recipes::words;
use crate::scan::site::Resolution;
use crate::scan::types::known::last_of;

impl<'a> Context<'_, 'a> {
    /// `ApplicationCommand::set_global_application_commands(&http, ..)`: what the crate calls so today stood under another
    /// type.
    pub(super) fn function_of_old<'b>(&self, leaving: Leaving<'a, 'b>, krate: &CrateCalls) -> Option<Leaving<'a, 'b>> {
        let of_a_type = last_of(&leaving.path).starts_with(char::is_uppercase);
        if !of_a_type || !leaving.name.contains('_') || !self.is_awaited(&leaving) {
            return None;
        }
        self.a_write_of(leaving, krate, |arity, given| arity.is_none_or(|arity| arity == given))
    }

    /// A method that the catalog has of another type of the crate: `Context::Application(ctx)` holds what it is called
    /// on, of which the enum alone is known.
    pub(super) fn of_a_sibling<'b>(&self, leaving: Leaving<'a, 'b>, krate: &CrateCalls) -> Option<Leaving<'a, 'b>> {
        let known = &self.types.known;
        if !leaving.name.contains('_')
            || known.returns(&leaving.path, &leaving.name).is_some()
            || !self.is_awaited_as_is(&leaving)
        {
            return None;
        }
        self.a_write_of(leaving, krate, |arity, given| arity == Some(given))
    }

    /// The write that a crate has under this name, whatever type has it.
    fn a_write_of<'b>(
        &self,
        leaving: Leaving<'a, 'b>,
        krate: &CrateCalls,
        fits: fn(Option<usize>, usize) -> bool,
    ) -> Option<Leaving<'a, 'b>> {
        let found = self.types.known.catalog.named(&leaving.name).find(|found| {
            let call = found.call;
            found.krate.package == krate.package && call.effect.is_write() && fits(call.arity, leaving.args.len())
        })?;
        Some(Leaving { known: Some((found.call, found.krate)), resolution: Resolution::Inferred, ..leaving })
    }

    /// A method that the catalog does not list of a type by which it lists writes: awaited, and named as one.
    pub(super) fn sends_more(&self, leaving: &Leaving<'a, '_>, krate: &CrateCalls) -> bool {
        const WRITE: [&str; 6] = ["create", "delete", "post", "publish", "send", "upload"];
        // What begins with these may also be a builder of something: `user.reply_collector(..)`.
        const MORE: [&str; 16] = [
            "add", "answer", "ban", "edit", "forward", "invite", "kick", "pin", "react", "remove", "reply", "say",
            "unban", "unpin", "update", "whisper",
        ];
        let known = &self.types.known;
        let path = known.canonical(&leaving.path);
        let writes = |call: &Call| call.path == path && call.effect.is_write() && !call.own_store;
        let first = words(&leaving.name).into_iter().next().unwrap_or_default();
        (WRITE.contains(&first.as_str()) && self.is_awaited(leaving)
            || MORE.contains(&first.as_str()) && self.is_awaited_as_is(leaving))
            && known.returns(&leaving.path, &leaving.name).is_none()
            && krate.call.iter().any(writes)
    }
}
