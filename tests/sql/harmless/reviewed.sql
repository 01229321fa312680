-- onlyonce: allow(ledger-weakened, reason = "copied to the archive by hand on 2026-03-02, nothing unfinished")
DELETE FROM agent_actions WHERE created_at < '2025-01-01';
