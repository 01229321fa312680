//! Where files stand, for those who read reports: seen from the checked folder, from the repository, from the disk.

use std::path::{Component, Path, PathBuf};

/// `path` as seen from the folder `from`, with `/`; with `..` where it stands above or beside it.
#[must_use]
pub fn seen_from(from: &Path, path: &Path) -> String {
    let (from, path): (Vec<Component<'_>>, Vec<Component<'_>>) = (parts(from), parts(path));
    let shared = from.iter().zip(&path).take_while(|(one, other)| one == other).count();
    if shared == 0 && !path.is_empty() && !from.is_empty() {
        return joined(path.iter().copied());
    }
    let up = from[shared..].iter().map(|_| Component::ParentDir);
    joined(up.chain(path[shared..].iter().copied()))
}

fn parts(path: &Path) -> Vec<Component<'_>> {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

fn joined<'a>(parts: impl Iterator<Item = Component<'a>>) -> String {
    let path: PathBuf = parts.collect();
    path.to_string_lossy().replace('\\', "/")
}

/// Where the files of a check stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The checked folder; names of files are relative to it.
    pub root: PathBuf,
    /// The folder that holds the repository. Where there is none, the folder in which the user stands or, outside of
    /// that, the checked one.
    pub top: PathBuf,
}

impl Place {
    /// Of a checked folder, seen by a user who stands in `folder`: the nearest folder upwards that holds a `.git` is the
    /// repository.
    #[must_use]
    pub fn of(root: &Path, folder: &Path) -> Place {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (root, folder) = (real(root), real(folder));
        let repository = root.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_owned);
        let top = repository.unwrap_or_else(|| if root.starts_with(&folder) { folder } else { root.clone() });
        Place { root, top }
    }

    /// On the disk.
    #[must_use]
    pub fn on_disk(&self, name: &str) -> PathBuf {
        let mut path = PathBuf::new();
        for part in self.root.join(name).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir => drop(path.pop()),
                part => path.push(part),
            }
        }
        path
    }

    /// From the top of the repository, with `/`.
    #[must_use]
    pub fn in_repository(&self, name: &str) -> String {
        seen_from(&self.top, &self.on_disk(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_below_beside_and_above() {
        let seen = |from: &str, path: &str| seen_from(Path::new(from), Path::new(path));
        assert_eq!(seen("/a/b", "/a/b/src/x.rs"), "src/x.rs");
        assert_eq!(seen("/a/b", "/a/onlyonce.toml"), "../onlyonce.toml");
        assert_eq!(seen("/a/b", "/a/c/m"), "../c/m");
        assert_eq!(seen("a/b", "./a/b/c"), "c");
        assert_eq!(seen("/a", "/a"), "");
    }

    #[test]
    fn a_repository_is_the_nearest_one_upwards() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("crates/bot");
        std::fs::create_dir_all(&root).unwrap();
        let without = Place::of(&root, &folder.path().join("crates"));
        assert_eq!(without.in_repository("src/a.rs"), "bot/src/a.rs");
        assert_eq!(Place::of(&root, Path::new("/nowhere")).in_repository("src/a.rs"), "src/a.rs");
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let place = Place::of(&root, &root);
        assert_eq!(place.in_repository("src/a.rs"), "crates/bot/src/a.rs");
        assert_eq!(place.in_repository("../../onlyonce.toml"), "onlyonce.toml");
        assert!(place.on_disk("src/a.rs").ends_with("crates/bot/src/a.rs"));
    }
}
