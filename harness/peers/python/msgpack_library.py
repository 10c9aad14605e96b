"""msgpack for Python. Values are dicts; what the schema knows and Python does not is the width
of a float, so messages that hold one are packed field by field."""

import msgpack

from neutral import plain_of, tree_of_plain


def holds_float32(plan, seen=()):
    return any(
        field.kind == "float"
        or (field.message is not None and field.message not in seen and holds_float32(field.message, (*seen, plan)))
        for field in plan.fields
    )


class Msgpack:
    format = "msgpack"
    writer = "python"
    schemas = True
    bench = True

    def __init__(self, schema):
        self.schema = schema
        self.wide = msgpack.Packer()
        self.narrow = msgpack.Packer(use_single_float=True)

    def models(self):
        return self.schema.models

    def native(self, plan, tree):
        return plain_of(plan, tree)

    def tree(self, plan, plain, tree):
        tree_of_plain(plan, plain, tree)

    def serializer(self, plan):
        if not holds_float32(plan):
            return self.wide.pack
        write = self.writer_of(plan, {})

        def serialize(plain):
            out = []
            write(plain, out)
            return b"".join(out)

        return serialize

    def writer_of(self, plan, done):
        if plan.name in done:
            return lambda plain, out: done[plan.name](plain, out)
        done[plan.name] = None
        head = self.wide.pack_map_header(len(plan.fields))
        parts = [(f.name, self.wide.pack(f.name), self.field_writer(f, done)) for f in plan.fields]

        def write(plain, out):
            out.append(head)
            for name, key, write_value in parts:
                out.append(key)
                write_value(plain[name], out)

        done[plan.name] = write
        return write

    def field_writer(self, field, done):
        if field.kind == "float":
            return lambda value, out: out.append(self.narrow.pack(value))
        if field.message is None or not holds_float32(field.message):
            return lambda value, out: out.append(self.wide.pack(value))
        if field.is_map:
            return self.map_writer(field, done)
        write = self.writer_of(field.message, done)
        if not field.repeated:
            return lambda value, out: out.append(self.wide.pack(None)) if value is None else write(value, out)

        def write_list(values, out):
            out.append(self.wide.pack_array_header(len(values)))
            for value in values:
                write(value, out)

        return write_list

    def map_writer(self, field, done):
        write = self.field_writer(field.message.fields[1], done)

        def write_map(values, out):
            out.append(self.wide.pack_map_header(len(values)))
            for key, value in values.items():
                out.append(self.wide.pack(key))
                write(value, out)

        return write_map

    def parser(self, plan):
        return lambda data: msgpack.unpackb(data, strict_map_key=False)


def implementations(schema):
    return [("msgpack", ".".join(map(str, msgpack.version)), [Msgpack(schema)])]
