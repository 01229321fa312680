-- Settings on which no guarantee rests.
ALTER SYSTEM SET work_mem = '8MB';
ALTER SYSTEM RESET work_mem;
