"""flatbuffers for Python, through its Builder and Table.

A table a message: slots in declaration order, enums as byte, strings and vectors of implicit
presence always written, children made in schema order, a map as a vector of its entry tables.
"""

from importlib import metadata

import flatbuffers
from flatbuffers import number_types as N
from flatbuffers.table import Table

from neutral import Refused, plain_of, tree_of_plain

TYPES = {
    "bool": N.BoolFlags,
    "int32": N.Int32Flags,
    "int64": N.Int64Flags,
    "uint32": N.Uint32Flags,
    "uint64": N.Uint64Flags,
    "float": N.Float32Flags,
    "double": N.Float64Flags,
    "enum": N.Int8Flags,
}


def add_order(plan):
    """Slots in the order in which flatc's create functions add them: wide ones first, and the
    last declared of a width first."""
    slots = list(enumerate(plan.fields))

    def width(field):
        scalar = not field.repeated and field.logical in TYPES
        return TYPES[field.logical].bytewidth if scalar else 4

    return [
        (slot, field)
        for size in (8, 4, 2, 1)
        for slot, field in reversed(slots)
        if width(field) == size
    ]


class Flatbuffers:
    format = "flatbuffers"
    writer = "python"
    schemas = True
    bench = False  # generated code is what users run, not this walk along the schema

    def __init__(self, schema):
        self.schema = schema
        self.orders = {}

    def models(self):
        return self.schema.models

    def native(self, plan, tree):
        return plain_of(plan, tree)

    def tree(self, plan, plain, tree):
        tree_of_plain(plan, plain, tree)

    # -- writing ---------------------------------------------------------------------------------

    def serializer(self, plan):
        def serialize(plain):
            builder = flatbuffers.Builder(1024)
            builder.Finish(self.write_table(builder, plan, plain))
            return bytes(builder.Output())

        return serialize

    def write_table(self, builder, plan, plain):
        children = {}
        for field in plan.fields:
            value = plain[field.name]
            if value is None:
                continue
            if field.is_map:
                children[field.name] = self.write_vector(
                    builder, field, [{"key": k, "value": v} for k, v in value.items()]
                )
            elif field.repeated:
                children[field.name] = self.write_vector(builder, field, value)
            elif field.logical not in TYPES:
                children[field.name] = self.write_child(builder, field, value)
        order = self.orders.get(plan.name)
        if order is None:
            order = self.orders[plan.name] = add_order(plan)
        builder.StartObject(len(plan.fields))
        for slot, field in order:
            child = children.get(field.name)
            if child is not None:
                builder.PrependUOffsetTRelativeSlot(slot, child, 0)
            elif field.logical in TYPES and not field.repeated:
                default = None if field.presence else field.default()
                builder.PrependSlot(TYPES[field.logical], slot, plain[field.name], default)
        return builder.EndObject()

    def write_child(self, builder, field, value):
        if field.message is not None:
            return self.write_table(builder, field.message, value)
        if field.kind == "string":
            return builder.CreateString(value)
        return builder.CreateByteVector(value)

    def write_vector(self, builder, field, values):
        flags = TYPES.get(field.logical)
        if flags is None:
            offsets = [self.write_child(builder, field, value) for value in values]
            builder.StartVector(4, len(offsets), 4)
            for offset in reversed(offsets):
                builder.PrependUOffsetTRelative(offset)
        else:
            builder.StartVector(flags.bytewidth, len(values), flags.bytewidth)
            for value in reversed(values):
                builder.Prepend(flags, value)
        return builder.EndVector()

    # -- reading ---------------------------------------------------------------------------------

    def parser(self, plan):
        def parse(data):
            buffer = bytearray(data)
            if len(buffer) < 8:
                raise Refused("shorter than a root offset and a table")
            root = int.from_bytes(buffer[:4], "little")
            return self.read_table(Table(buffer, root), plan)

        return parse

    def read_table(self, table, plan):
        plain = {}
        for slot, field in enumerate(plan.fields):
            offset = table.Offset(4 + 2 * slot)
            if offset == 0:
                absent = [] if field.repeated else None if field.presence else field.default()
                plain[field.name] = {} if field.is_map else absent
                continue
            if field.repeated:
                values = self.read_vector(table, field, offset)
                if field.is_map:
                    values = {value["key"]: value["value"] for value in values}
                plain[field.name] = values
            elif field.logical in TYPES:
                plain[field.name] = table.Get(TYPES[field.logical], offset + table.Pos)
            else:
                plain[field.name] = self.read_child(table, field, offset + table.Pos)
        return plain

    def read_child(self, table, field, position):
        if field.message is not None:
            return self.read_table(Table(table.Bytes, table.Indirect(position)), field.message)
        data = table.String(position)
        return data.decode() if field.kind == "string" else data

    def read_vector(self, table, field, offset):
        length = table.VectorLen(offset)
        start = table.Vector(offset)
        flags = TYPES.get(field.logical)
        # The library checks nothing; a length that can't be is caught before a long loop.
        if start + length * (flags.bytewidth if flags else 4) > len(table.Bytes):
            raise Refused(f"{field.name}: vector of {length} elements passes the end of the buffer")
        if flags is None:
            return [self.read_child(table, field, start + 4 * i) for i in range(length)]
        return [table.Get(flags, start + flags.bytewidth * i) for i in range(length)]


def implementations(schema):
    return [("flatbuffers", metadata.version("flatbuffers"), [Flatbuffers(schema)])]
