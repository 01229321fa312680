// The closure that makes a static's value runs when the static is first used.
static BANNER: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| {
    reqwest::blocking::Client::new().post("https://x.example/banners").send().unwrap().text().unwrap() //~ MUTATE
});
struct Hooks;
impl Hooks {
    const ALL: fn() = || {
        let _ = reqwest::blocking::Client::new().delete("https://x.example/hooks/1").send(); //~ MUTATE
    };
}
static PLAIN: std::sync::LazyLock<reqwest::Client> = std::sync::LazyLock::new(reqwest::Client::new);
