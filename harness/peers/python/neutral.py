"""The neutral tree of the peer protocol, and its two images in Python.

`plain` is a dict by field name, in declaration order, with every field in it: absent ones are
None, or the default where presence is implicit. Enums are numbers, maps are dicts.
"""

import struct

from schema import INTEGERS

F32 = struct.Struct("<f")
U32 = struct.Struct("<I")
F64 = struct.Struct("<d")
U64 = struct.Struct("<Q")


class Refused(Exception):
    """The library, or the form that it gives to values, refused."""


def float_of(value, which):
    if which == "float32_bits":
        return F32.unpack(U32.pack(value.float32_bits))[0]
    return F64.unpack(U64.pack(value.float64_bits))[0]


def scalar_of(field, value, kind):
    """The Python value of a tree's scalar for a field whose values are of `kind`."""
    which = value.WhichOneof("kind")
    if which in ("signed", "unsigned"):
        if kind not in INTEGERS:
            raise Refused(f"{field.name}: an integer where {kind} is wanted")
        number = getattr(value, which)
        bits, signed = INTEGERS[kind]
        # Integers may come in either spelling, see PROTOCOL.md.
        if signed and number >= 1 << (bits - 1):
            number -= 1 << bits
        elif not signed and number < 0:
            number += 1 << bits
        return number
    if which in ("float32_bits", "float64_bits") and kind in ("float", "double"):
        return float_of(value, which)
    if which == "data" and kind == "string":
        raise Refused(f"{field.name}: not UTF-8")
    wanted = {"bool": "boolean", "string": "text", "bytes": "data", "enum": "enumeration"}.get(kind)
    if which != wanted:
        raise Refused(f"{field.name}: {which} where {kind} is wanted")
    return getattr(value, which)


def put_scalar(field, kind, scalar, value):
    """Stores a Python value as a tree's scalar; Refused if it is of another type."""
    try:
        if kind in INTEGERS:
            if type(scalar) is not int:
                raise TypeError("an integer is wanted")
            bits, signed = INTEGERS[kind]
            low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
            if not low <= scalar < high:
                raise ValueError("out of range")
            if signed:
                value.signed = scalar
            else:
                value.unsigned = scalar
        elif kind == "bool":
            if type(scalar) is not bool:
                raise TypeError("a bool is wanted")
            value.boolean = scalar
        elif kind == "float":
            value.float32_bits = U32.unpack(F32.pack(scalar))[0]
        elif kind == "double":
            value.float64_bits = U64.unpack(F64.pack(scalar))[0]
        elif kind == "string":
            value.text = scalar
        elif kind == "bytes":
            value.data = bytes(scalar)
        else:
            value.enumeration = scalar
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise Refused(f"{field.name}: {scalar!r}: {error}") from error


# -- plain ---------------------------------------------------------------------------------------


def plain_of(plan, tree):
    """A dict from a tree."""
    plain = {}
    for field in plan.fields:
        if field.is_map:
            plain[field.name] = {}
        elif field.repeated:
            plain[field.name] = []
        else:
            plain[field.name] = None if field.presence else field.default()
    for entry in tree.fields:
        field = plan.by_number.get(entry.number)
        if field is None:
            raise Refused(f"{plan.name} has no field {entry.number}")
        value = entry.value
        if field.is_map:
            key, item = field.message.fields
            plain[field.name] = {
                plain_item(key, pair.key): plain_item(item, pair.value) for pair in value.map.entries
            }
        elif field.repeated:
            plain[field.name] = [plain_item(field, item) for item in value.list.values]
        else:
            plain[field.name] = plain_item(field, value)
    return plain


def plain_item(field, value):
    if field.message is not None:
        return plain_of(field.message, value.message)
    return scalar_of(field, value, field.logical)


def tree_of_plain(plan, plain, tree):
    """Fills a tree from a dict, which may come from any writer: types are checked."""
    if not isinstance(plain, dict):
        raise Refused(f"{plan.name}: {type(plain).__name__} where a map is wanted")
    for field in plan.fields:
        value = plain.get(field.name)
        if value is None:
            continue
        if field.is_map:
            if not isinstance(value, dict):
                raise Refused(f"{field.name}: {type(value).__name__} where a map is wanted")
            if value:
                entries = tree.fields.add(number=field.number).value.map.entries
                key, item = field.message.fields
                for k, v in value.items():
                    entry = entries.add()
                    put_plain_item(key, k, entry.key)
                    put_plain_item(item, v, entry.value)
        elif field.repeated:
            if not isinstance(value, (list, tuple)):
                raise Refused(f"{field.name}: {type(value).__name__} where a list is wanted")
            if value:
                values = tree.fields.add(number=field.number).value.list.values
                for item in value:
                    put_plain_item(field, item, values.add())
        else:
            put_plain_item(field, value, tree.fields.add(number=field.number).value)


def put_plain_item(field, item, value):
    if field.message is not None:
        value.message.SetInParent()
        tree_of_plain(field.message, item, value.message)
    else:
        put_scalar(field, field.logical, item, value)
