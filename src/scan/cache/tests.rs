//! What goes wrong with the folder only costs time.

use std::time::{Duration, SystemTime};

use super::{Cache, Key, MOST, OLDEST, entries, remove};

fn cache(folder: &std::path::Path) -> Cache {
    Cache::new(folder.to_owned(), [1; 32], SystemTime::now())
}

fn key(cache: &Cache, text: &str) -> Key {
    let mut keying = cache.keying("test");
    keying.add(text);
    keying.key()
}

fn value() -> Vec<(String, u32)> {
    vec![("one".to_owned(), 1), ("two".to_owned(), 2)]
}

#[test]
fn an_entry_is_found_by_its_own_key_alone() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(&folder.path().join("not/yet/there"));
    let one = key(&cache, "one");
    assert_eq!(cache.get::<Vec<(String, u32)>>(&one), None);
    cache.put(&one, &value());
    assert_eq!(cache.get(&one), Some(value()));
    assert_eq!(cache.known(), 1);
    let other = Cache::new(folder.path().join("not/yet/there"), [2; 32], SystemTime::now());
    assert_eq!(other.get::<Vec<(String, u32)>>(&key(&other, "one")), None, "another program");
    assert_eq!(cache.get::<Vec<(String, u32)>>(&key(&cache, "on")), None, "another text");
    // Put under another's name, an entry is none.
    let two = key(&cache, "two");
    std::fs::create_dir_all(cache.path(&two).parent().unwrap()).unwrap();
    std::fs::copy(cache.path(&one), cache.path(&two)).unwrap();
    assert_eq!(cache.get::<Vec<(String, u32)>>(&two), None);
    // Parts do not run together.
    let mut apart = cache.keying("test");
    apart.add("o").add("ne");
    assert_ne!(apart.key().0, one.0);
}

#[test]
fn an_entry_with_any_byte_wrong_or_missing_is_none_and_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(folder.path());
    let key = key(&cache, "one");
    cache.put(&key, &value());
    let whole = std::fs::read(cache.path(&key)).unwrap();
    let is_none = |bytes: &[u8]| {
        std::fs::write(cache.path(&key), bytes).unwrap();
        assert_eq!(cache.get::<Vec<(String, u32)>>(&key), None, "{bytes:?}");
    };
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            is_none(&bytes);
        }
        is_none(&whole[..at]);
    }
    is_none(&[&whole[..], b"x"].concat());
    cache.put(&key, &value());
    assert_eq!(cache.get(&key), Some(value()));
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    for place in [file.join("below"), file, "/proc/none".into()] {
        let cache = cache(&place);
        let key = key(&cache, "one");
        cache.put(&key, &value());
        assert_eq!(cache.get::<Vec<(String, u32)>>(&key), None);
        cache.tidy();
    }
}

#[test]
fn what_is_old_or_too_much_goes_and_what_is_not_ours_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (now, day) = (SystemTime::now(), Duration::from_secs(60 * 60 * 24));
    let put = |name: &str, age: Duration| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, [0; 100]).unwrap();
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(now - age).unwrap();
        path
    };
    let stranger = put("theirs/file", OLDEST * 2);
    let old = put("0a/old", OLDEST + day);
    let kept: Vec<_> = (0..3).map(|at| put(&format!("0{at}/new{at}"), day * at)).collect();
    remove(entries(folder.path()), now, MOST);
    assert!(!old.exists() && stranger.exists() && kept.iter().all(|path| path.exists()));
    // Three fourths of 300 bytes hold two of them: the one that was used first goes.
    remove(entries(folder.path()), now, 300);
    assert_eq!(kept.iter().map(|path| path.exists()).collect::<Vec<_>>(), [true, true, false]);
    assert!(stranger.exists());
}

#[test]
fn an_entry_that_was_used_counts_as_young() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(folder.path());
    let key = key(&cache, "one");
    cache.put(&key, &value());
    let age = OLDEST + Duration::from_secs(1);
    let file = std::fs::File::options().append(true).open(cache.path(&key)).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
    assert_eq!(cache.get(&key), Some(value()));
    cache.tidy();
    assert_eq!(cache.get(&key), Some(value()));
    file.set_modified(SystemTime::now() - age).unwrap();
    // The folder was looked at a moment ago.
    cache.tidy();
    assert!(cache.path(&key).exists());
    std::fs::remove_file(folder.path().join("written")).unwrap();
    cache.tidy();
    assert!(!cache.path(&key).exists());
}
