//! Transcripts of the command line: `tests/cmd/*.trycmd`.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").run();
}
