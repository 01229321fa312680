//! A migration that comes after those that made a ledger.
#![no_main]

mod mutate;
mod target;

libfuzzer_sys::fuzz_target!(|text: &[u8]| target::sql(&String::from_utf8_lossy(text)));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::in_place(data, size, most, seed, libfuzzer_sys::fuzzer_mutate)
});
libfuzzer_sys::fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    mutate::splice_into(one, other, out, seed)
});
