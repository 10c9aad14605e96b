#![no_main]

use interop_codec::Format;
use interop_models::Json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| interop_fuzz::both_engines::<Json>(Format::Json, data));
