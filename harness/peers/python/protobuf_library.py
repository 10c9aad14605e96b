"""Google's protobuf for Python: binary and JSON, by the engine that the process runs on."""

import json

import google.protobuf
from google.protobuf import json_format, unknown_fields
from google.protobuf.internal import api_implementation, encoder

from neutral import Refused, put_scalar, scalar_of

ENGINE = api_implementation.Type()


def fill_message(plan, tree, message):
    for entry in tree.fields:
        field = plan.by_number.get(entry.number)
        if field is None:
            raise Refused(f"{plan.name} has no field {entry.number}")
        value = entry.value
        try:
            if field.is_map:
                key, item = field.message.fields
                target = getattr(message, field.name)
                for pair in value.map.entries:
                    k = scalar_of(key, pair.key, key.kind)
                    if item.message is not None:
                        fill_message(item.message, pair.value.message, target[k])
                    else:
                        target[k] = scalar_of(item, pair.value, item.kind)
            elif field.repeated:
                target = getattr(message, field.name)
                if field.message is not None:
                    for item in value.list.values:
                        fill_message(field.message, item.message, target.add())
                else:
                    target.extend(scalar_of(field, item, field.kind) for item in value.list.values)
            elif field.message is not None:
                target = getattr(message, field.name)
                target.SetInParent()
                fill_message(field.message, value.message, target)
            else:
                setattr(message, field.name, scalar_of(field, value, field.kind))
        except (TypeError, ValueError) as error:
            raise Refused(str(error)) from error
    if tree.unknown:
        message.MergeFromString(tree.unknown)


def fill_tree(plan, message, tree):
    for descriptor, value in message.ListFields():
        field = plan.by_number.get(descriptor.number)
        if field is None:  # an extension
            continue
        target = tree.fields.add(number=field.number).value
        if field.is_map:
            key, item = field.message.fields
            entries = target.map.entries
            for k in value:
                entry = entries.add()
                put_scalar(key, key.kind, k, entry.key)
                if item.message is not None:
                    entry.value.message.SetInParent()
                    fill_tree(item.message, value[k], entry.value.message)
                else:
                    put_scalar(item, item.kind, value[k], entry.value)
        elif field.repeated:
            values = target.list.values
            if field.message is not None:
                for item in value:
                    slot = values.add().message
                    slot.SetInParent()
                    fill_tree(field.message, item, slot)
            else:
                for item in value:
                    put_scalar(field, field.kind, item, values.add())
        elif field.message is not None:
            target.message.SetInParent()
            fill_tree(field.message, value, target.message)
        else:
            put_scalar(field, field.kind, value, target)
    unknown = unknown_fields.UnknownFieldSet(message)
    if len(unknown):
        tree.unknown = wire_bytes(unknown)


def wire_bytes(fields):
    """Unknown fields as they stand on the wire; the library only shows them taken apart."""
    out = []
    for field in fields:
        kind = field.wire_type
        out.append(encoder.TagBytes(field.field_number, kind))
        if kind == 0:
            out.append(encoder._VarintBytes(field.data))
        elif kind == 1:
            out.append(field.data.to_bytes(8, "little"))
        elif kind == 2:
            out.append(encoder._VarintBytes(len(field.data)) + field.data)
        elif kind == 3:
            out.append(wire_bytes(field.data) + encoder.TagBytes(field.field_number, 4))
        else:
            out.append(field.data.to_bytes(4, "little"))
    return b"".join(out)


class Messages:
    """What both formats share: values are messages."""

    schemas = True
    bench = True

    def __init__(self, schema):
        self.schema = schema

    def models(self):
        return self.schema.models

    def native(self, plan, tree):
        message = plan.message_class()
        fill_message(plan, tree, message)
        return message

    def tree(self, plan, message, tree):
        fill_tree(plan, message, tree)


class Binary(Messages):
    format = "protobuf"
    writer = "python" if ENGINE == "upb" else "python-pure"

    def serializer(self, plan):
        # A map's order is free on the wire; the golden files are in the deterministic one.
        return lambda message: message.SerializeToString(deterministic=True)

    def parser(self, plan):
        return plan.message_class.FromString


class Json(Messages):
    format = "json"

    def __init__(self, schema, writer, ensure_ascii):
        super().__init__(schema)
        self.writer = writer
        self.ensure_ascii = ensure_ascii

    def serializer(self, plan):
        def serialize(message):
            # MessageToJson is these two calls too, but leaves no choice of separators.
            value = json_format.MessageToDict(
                message, preserving_proto_field_name=True, descriptor_pool=self.schema.pool
            )
            return json.dumps(value, separators=(",", ":"), ensure_ascii=self.ensure_ascii).encode()

        return serialize

    def parser(self, plan):
        def parse(data):
            message = plan.message_class()
            json_format.Parse(data, message, descriptor_pool=self.schema.pool)
            return message

        return parse


def implementations(schema):
    version = google.protobuf.__version__
    if ENGINE != "upb":
        return [("protobuf-pure", version, [Binary(schema), Json(schema, "python-pure", True)])]
    return [
        ("protobuf-upb", version, [Binary(schema), Json(schema, "python", True)]),
        ("protobuf-upb-utf8", version, [Json(schema, "python-utf8", False)]),
    ]
