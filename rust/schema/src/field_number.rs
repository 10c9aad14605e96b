//! Field numbers that a schema may use.

use crate::{Error, Field, Message};

/// Refuses a number that no tag can carry, or that another field of `message` has. Schema
/// compilers do so too, but a descriptor set may come from anywhere.
pub(crate) fn check_number(message: &Message, field: &Field) -> Result<(), Error> {
    // Extensions of a MessageSet are named by a type id of 31 bits instead of a tag.
    let largest = if message.message_set {
        i32::MAX as u32
    } else {
        (1 << 29) - 1
    };
    let (owner, name, number) = (&message.full_name, &field.name, field.number);
    if number == 0 || number > largest {
        return Err(Error::Descriptor(format!(
            "field {owner}.{name}: number {number} is not in 1 to {largest}"
        )));
    }
    if let Some(other) = message.field_by_number(number) {
        let other = &message.fields[other].name;
        return Err(Error::Descriptor(format!(
            "field {owner}.{name}: number {number} is that of {other}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_out_of_range_or_taken_are_refused() {
        // FileDescriptorSet { file { name: "f" syntax: "proto3" message_type { name: "M"
        // field { name: "a" number: N label: OPTIONAL type: INT32 } field { ... } } } }
        let set = |numbers: [u8; 2]| {
            let mut message = vec![0x0a, 1, b'M'];
            for number in numbers {
                message.extend([0x12, 9, 0x0a, 1, b'a', 0x18, number, 0x20, 1, 0x28, 5]);
            }
            let mut file = vec![0x0a, 1, b'f', 0x62, 6];
            file.extend(b"proto3");
            file.extend([0x22, message.len() as u8]);
            file.extend(message);
            let mut set = vec![0x0a, file.len() as u8];
            set.extend(file);
            crate::proto::from_descriptor_set(&set)
        };
        assert_eq!(set([1, 2]).unwrap().messages[0].fields.len(), 2);
        let zero = set([1, 0]).unwrap_err().to_string();
        assert!(zero.contains("number 0 is not in 1"), "{zero}");
        let twice = set([3, 3]).unwrap_err().to_string();
        assert!(twice.contains("number 3 is that of a"), "{twice}");
    }
}
