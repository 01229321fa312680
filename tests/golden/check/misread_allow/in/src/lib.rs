pub fn f() {
    // onlyonce: allow(unguarded-send, reason = "harmless", until = 2028-01-01)
    let _ = 1;
    // onlyonce: alow(unguarded-send, reason = "harmless")
    let _ = 2;
}
