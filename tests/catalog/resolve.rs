//! Where names of an [`Api`] lead: uses, globs, aliases and the public paths of everything.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::api::{Api, Item, Method, Target};

impl Api {
    /// Where a path leads that is written in a module, as paths of definitions; several under different cfgs.
    pub(crate) fn resolve(&self, module: &str, path: &[String]) -> Vec<String> {
        let found = self.walk(module, path);
        found.into_iter().map(|path| self.unalias(path, 0)).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The same; what leads out of the packages that were read stays as it is written.
    pub(crate) fn resolve_or_written(&self, module: &str, path: &[String]) -> Vec<String> {
        let found = self.resolve(module, path);
        if found.is_empty() { vec![path.join("::").trim_start_matches("::").to_owned()] } else { found }
    }

    fn unalias(&self, path: String, depth: usize) -> String {
        match self.items.get(&path) {
            Some(Item::Alias { to, module }) if depth < 8 => match self.walk(module, to).into_iter().next() {
                Some(next) if next != path => self.unalias(next, depth + 1),
                _ => path,
            },
            _ => path,
        }
    }

    fn walk(&self, module: &str, path: &[String]) -> BTreeSet<String> {
        let Some((first, rest)) = path.split_first() else { return BTreeSet::from([module.to_owned()]) };
        let up = |module: &str| module.rsplit_once("::").map_or(module, |(up, _)| up).to_owned();
        let starts = match first.as_str() {
            "crate" | "$crate" => BTreeSet::from([module.split("::").next().unwrap_or(module).to_owned()]),
            "self" => BTreeSet::from([module.to_owned()]),
            "super" => BTreeSet::from([up(module)]),
            "" => return rest.split_first().map(|(library, rest)| self.down(library, rest)).unwrap_or_default(),
            name => {
                let local = self.lookup(module, name);
                let library = local.is_empty() && self.modules.contains_key(name);
                if library { BTreeSet::from([name.to_owned()]) } else { local }
            }
        };
        starts.iter().flat_map(|start| self.down(start, rest)).collect()
    }

    fn down(&self, start: &str, rest: &[String]) -> BTreeSet<String> {
        let mut at = BTreeSet::from([start.to_owned()]);
        for name in rest {
            at = match name.as_str() {
                "super" => at.iter().filter_map(|path| Some(path.rsplit_once("::")?.0.to_owned())).collect(),
                "self" => at,
                name => at.iter().flat_map(|path| self.lookup(path, name)).collect(),
            };
        }
        at
    }

    /// What a name means in a module.
    fn lookup(&self, module: &str, name: &str) -> BTreeSet<String> {
        let names = self.scopes.get(module).and_then(|scope| scope.get(name));
        names.map(|found| found.to.keys().cloned().collect()).unwrap_or_default()
    }

    /// Follows uses and globs until nothing new comes in.
    pub(crate) fn bind_names(&mut self) {
        loop {
            let mut news = Vec::new();
            for (module, written) in &self.modules {
                for (name, bindings) in &written.names {
                    for binding in bindings {
                        let to = match &binding.target {
                            Target::Defined(path) => BTreeSet::from([path.clone()]),
                            Target::Used(path) => self.walk(module, path),
                        };
                        let known = |to: &String| self.knows(module, name, to, binding.public);
                        let to = to.into_iter().filter(|to| !known(to));
                        news.extend(to.map(|to| (module.clone(), name.clone(), to, binding.public)));
                    }
                }
                for (path, public) in &written.globs {
                    let within = self.walk(module, path).into_iter().filter_map(|from| self.scopes.get(&from));
                    for (name, found) in within.flatten() {
                        let shown = found.to.iter().filter(|(_, public)| **public);
                        let shown = shown.filter(|(to, _)| !self.knows(module, name, to, *public));
                        news.extend(shown.map(|(to, _)| (module.clone(), name.clone(), to.clone(), *public)));
                    }
                }
            }
            if news.is_empty() {
                return;
            }
            for (module, name, to, public) in news {
                let meaning = self.scopes.entry(module).or_default().entry(name).or_default();
                *meaning.to.entry(to).or_default() |= public;
            }
        }
    }

    fn knows(&self, module: &str, name: &str, to: &str, public: bool) -> bool {
        let known = self.scopes.get(module).and_then(|scope| scope.get(name)?.to.get(to));
        known.is_some_and(|known| *known || !public)
    }

    /// Public paths of the libraries, the shortest first, and what each leads to. A module that is public under
    /// very many paths is entered by some of them only.
    pub(crate) fn public(&self, libraries: &[String]) -> BTreeMap<String, BTreeSet<String>> {
        const ENOUGH: usize = 6;
        let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut entered: HashMap<String, usize> = HashMap::new();
        let mut next: VecDeque<(String, String)> = libraries.iter().map(|name| (name.clone(), name.clone())).collect();
        while let Some((shown, module)) = next.pop_front() {
            paths.entry(shown.clone()).or_default().insert(module.clone());
            for (name, found) in self.scopes.get(&module).into_iter().flatten() {
                let below = format!("{shown}::{name}");
                for target in found.to.iter().filter(|(_, public)| **public).map(|(target, _)| target) {
                    let target = self.unalias(target.clone(), 0);
                    if !self.modules.contains_key(&target) {
                        paths.entry(below.clone()).or_default().insert(target);
                        continue;
                    }
                    let times = entered.entry(target.clone()).or_default();
                    *times += 1;
                    if *times <= ENOUGH {
                        next.push_back((below.clone(), target));
                    }
                }
            }
        }
        paths
    }

    /// Every method that a value of the type has: its own, its traits' and those of what it derefs to.
    pub(crate) fn methods_of<'a>(&'a self, path: &str) -> Vec<&'a Method> {
        let mut found = Vec::new();
        self.gather(path, &mut HashSet::new(), &mut found);
        found
    }

    fn gather<'a>(&'a self, path: &str, seen: &mut HashSet<String>, found: &mut Vec<&'a Method>) {
        if !seen.insert(path.to_owned()) {
            return;
        }
        found.extend(self.methods.get(path).into_iter().flatten().filter(|method| method.public));
        for name in self.traits_of.get(path).into_iter().flatten() {
            self.gather(name, seen, found);
        }
        if let Some(Item::Trait { supers, module }) = self.items.get(path) {
            for path in supers {
                for name in self.resolve(module, path) {
                    self.gather(&name, seen, found);
                }
            }
        }
    }
}
