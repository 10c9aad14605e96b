#![no_main]

use interop_codec::Format;
use interop_models::ForyConsistent;

libfuzzer_sys::fuzz_target!(|data: &[u8]| interop_fuzz::both_engines::<ForyConsistent>(
    Format::ForyConsistent,
    data
));
