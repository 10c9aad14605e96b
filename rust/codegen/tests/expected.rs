//! The output for a schema with a field of each shape, beside its input.

use std::path::Path;

#[test]
fn shop() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let text = std::fs::read_to_string(fixtures.join("shop.proto")).unwrap();
    let schema = interop_schema::proto::compile_text(&text).unwrap();
    let generated = interop_codegen::generate(&schema, &Default::default()).unwrap();
    assert_eq!(generated.len(), 1);
    let expected = fixtures.join("expected_shop.rs.txt");
    if std::env::var_os("UPDATE_EXPECTED").is_some() {
        std::fs::write(&expected, &generated[0].1).unwrap();
    }
    let expected = std::fs::read_to_string(expected).unwrap();
    for (line, (ours, theirs)) in generated[0].1.lines().zip(expected.lines()).enumerate() {
        assert_eq!(
            ours,
            theirs,
            "line {}; UPDATE_EXPECTED=1 accepts the new output",
            line + 1
        );
    }
    assert_eq!(generated[0].1.lines().count(), expected.lines().count());
}

#[test]
fn what_can_not_be_expressed_is_refused_by_name() {
    let schema = interop_schema::proto::compile_text(
        "syntax = \"proto2\"; package p; message M { required int32 a = 1; }",
    )
    .unwrap();
    let error = interop_codegen::generate(&schema, &Default::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("p.M.a: required fields"),
        "{error}"
    );
}
