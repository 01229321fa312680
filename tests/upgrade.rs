//! From what the first released onlyonce emitted to what is emitted today: the files, the databases that they make,
//! and a large table under traffic. `upgrade/first/` holds what that onlyonce wrote. ONLYONCE_POSTGRES chooses the majors.

#[path = "layouts/catalog.rs"]
mod catalog;
#[path = "upgrade/chain.rs"]
mod chain;
#[path = "upgrade/database.rs"]
mod database;
#[path = "upgrade/files.rs"]
mod files;
#[path = "upgrade/filled.rs"]
mod filled;
mod support;
#[path = "upgrade/traffic.rs"]
mod traffic;
#[path = "upgrade/worker.rs"]
mod worker;
