//! Fory types laid over proto types by `(fory.field)` options.

use crate::Type;
use crate::scalar::scalar_type;

/// `natural` with the Fory type that `(fory).type` names, if both hold the same values.
pub(crate) fn override_type(natural: &Type, text: &str) -> Option<Type> {
    let inner = text.trim().strip_prefix("array<");
    if let Some(inner) = inner.and_then(|rest| rest.strip_suffix('>')) {
        let Type::List(slot) = natural else {
            return None;
        };
        let element = scalar_type(inner)?;
        return same_domain(&slot.ty, &element).then(|| Type::Array(Box::new(element)));
    }
    let ty = scalar_type(text)?;
    same_domain(natural, &ty).then_some(ty)
}

/// True when values of `declared` fit the proto type `natural`: equal but for an integer's
/// width below 32 bits, its encoding, or the sign that `fixed32` and `fixed64` lack.
fn same_domain(natural: &Type, declared: &Type) -> bool {
    match (natural, declared) {
        (
            Type::Int {
                bits,
                signed,
                encoding,
                ..
            },
            Type::Int {
                bits: declared_bits,
                signed: declared_signed,
                ..
            },
        ) => {
            declared_bits <= bits
                && (signed == declared_signed
                    || (*encoding == crate::IntEncoding::Fixed && bits == declared_bits))
        }
        _ => natural == declared,
    }
}

/// `(fory).ref` on a repeated field means its elements, on a map its values.
pub(crate) fn mark_reference(ty: &mut Type) {
    match ty {
        Type::List(slot) | Type::Set(slot) | Type::Map(_, slot) => slot.reference = true,
        _ => {}
    }
}
