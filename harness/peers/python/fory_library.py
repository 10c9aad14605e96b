"""pyfory, in compatible and in consistent mode. The dataclasses are made from the schema."""

import datetime
import enum
import re
from typing import Dict, List, Optional

import pyfory

from neutral import Refused, put_scalar, scalar_of
from schema import DURATION, TIMESTAMP, is_time

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)

SCALARS = {
    "bool": bool,
    "int8": pyfory.Int8,
    "int16": pyfory.Int16,
    "int32": pyfory.Int32,
    "int64": pyfory.Int64,
    "uint8": pyfory.UInt8,
    "uint16": pyfory.UInt16,
    "uint32": pyfory.UInt32,
    "uint64": pyfory.UInt64,
    "fixed int32": pyfory.FixedInt32,
    "fixed int64": pyfory.FixedInt64,
    "fixed uint32": pyfory.FixedUInt32,
    "fixed uint64": pyfory.FixedUInt64,
    "tagged int64": pyfory.TaggedInt64,
    "tagged uint64": pyfory.TaggedUInt64,
    "float": pyfory.Float32,
    "float32": pyfory.Float32,
    "double": pyfory.Float64,
    "float64": pyfory.Float64,
    "string": str,
    "bytes": bytes,
}
ARRAYS = {
    "bool": pyfory.BoolArray,
    "int32": pyfory.Int32Array,
    "int64": pyfory.Int64Array,
    "uint32": pyfory.UInt32Array,
    "uint64": pyfory.UInt64Array,
    "float32": pyfory.Float32Array,
    "float64": pyfory.Float64Array,
}
# Limits on what one connection may have seen: a run sends many a mutated type definition, and
# what a reader says of the next input must not depend on it.
NO_HISTORY_LIMIT = 1 << 30


def element_of_array(field):
    match = re.fullmatch(r"array<(\w+)>", field.fory_type)
    return match.group(1) if match else None


class Types:
    """The dataclasses and enums of a schema."""

    def __init__(self, schema):
        self.schema = schema
        self.classes = {}
        self.enums = {}

    def message(self, plan):
        cls = self.classes.get(plan.name)
        if cls is None:
            body = {f.name: self.declaration(f) for f in plan.fields}
            body["__annotations__"] = {f.name: self.annotation(f) for f in plan.fields}
            body["__module__"] = __name__
            cls = type(plan.name.rpartition(".")[2], (), body)
            cls = self.classes[plan.name] = pyfory.dataclass(cls, evolving=plan.fory_evolving)
        return cls

    def annotation(self, field):
        element = element_of_array(field)
        if element:
            return pyfory.Array[SCALARS[element]]
        if field.is_map:
            key, value = field.message.fields
            return Dict[self.item(key), self.item(value)]
        if field.repeated:
            return List[self.item(field)]
        item = self.item(field)
        return Optional[item] if field.fory_nullable else item

    def item(self, field):
        if field.message is not None:
            if field.message.name == TIMESTAMP:
                return datetime.datetime
            if field.message.name == DURATION:
                return datetime.timedelta
            return self.message(field.message)
        if field.kind == "enum":
            return self.enumeration(field.enum)
        return SCALARS[field.fory_type or field.kind]

    def enumeration(self, descriptor):
        cls = self.enums.get(descriptor.full_name)
        if cls is None:
            members = [(value.name, value.number) for value in descriptor.values]
            cls = self.enums[descriptor.full_name] = enum.IntEnum(descriptor.name, members, module=__name__)
            cls.descriptor = descriptor
        return cls

    @staticmethod
    def declaration(field):
        return pyfory.field(
            id=field.number,
            nullable=field.fory_nullable and not field.repeated,
            ref=field.fory_ref,
            default=None,
        )

    def register(self, fory):
        from google.protobuf import descriptor_pb2

        for name, cls in self.classes.items():
            fory.register_type(cls, type_id=self.schema.plans[name].fory_id)
        for cls in self.enums.values():
            options = self.schema.options(cls.descriptor, descriptor_pb2.EnumOptions)
            fory.register_type(cls, type_id=options.Extensions[self.schema.fory_enumeration].id)


class Fory:
    writer = "python"
    schemas = True
    bench = True

    def __init__(self, schema, compatible):
        self.format = "fory" if compatible else "fory-consistent"
        self.schema = schema
        self.types = Types(schema)
        names = self.models()
        for name in names:
            self.types.message(schema.plans[name])
        self.fory = pyfory.Fory(
            xlang=True,
            ref=False,
            compatible=compatible,
            max_schema_versions_per_type=NO_HISTORY_LIMIT,
            max_average_schema_versions_per_type=NO_HISTORY_LIMIT,
        )
        self.types.register(self.fory)
        # In consistent mode a struct that is first met inside another is served by a stub that
        # builds its serializer anew for every value (1.7.7), hundreds of times slower. Innermost
        # first, each is met as a root before it is met inside another.
        for name in self.types.classes:
            self.fory.serialize(self.empty(schema.plans[name]))

    def empty(self, plan):
        value = self.types.message(plan)()
        for field in plan.fields:
            if field.repeated or not field.fory_nullable:
                is_struct = not field.repeated and field.message is not None and not is_time(field.message)
                setattr(value, field.name, self.empty(field.message) if is_struct else self.absent(field))
        return value

    def models(self):
        return [name for name in self.schema.models if self.serves(self.schema.plans[name], set())]

    def serves(self, plan, seen):
        """Every type that can be reached is registered by number and does not contain itself."""
        if plan.name in (TIMESTAMP, DURATION):
            return True
        if plan.fory_id is None or plan.name in seen:
            return False
        for field in plan.fields:
            entry_fields = field.message.fields if field.is_map else [field]
            for item in entry_fields:
                if item.message is not None and not self.serves(item.message, seen | {plan.name}):
                    return False
        return True

    def serializer(self, plan):
        return self.fory.serialize

    def parser(self, plan):
        cls = self.types.message(plan)

        def parse(data):
            value = self.fory.deserialize(data)
            if type(value) is not cls:
                raise Refused(f"{type(value).__name__} where {cls.__name__} is wanted")
            return value

        return parse

    # -- values ----------------------------------------------------------------------------------

    def native(self, plan, tree):
        value = self.types.message(plan)()
        for entry in tree.fields:
            field = plan.by_number.get(entry.number)
            if field is None:
                raise Refused(f"{plan.name} has no field {entry.number}")
            setattr(value, field.name, self.native_field(field, entry.value))
        for field in plan.fields:
            if getattr(value, field.name) is None and not (field.fory_nullable and not field.repeated):
                setattr(value, field.name, self.absent(field))
        return value

    def absent(self, field):
        if field.is_map:
            return {}
        if field.repeated:
            return self.sequence(field, [])
        if field.message is not None:
            if field.message.name == TIMESTAMP:
                return EPOCH
            if field.message.name == DURATION:
                return datetime.timedelta()
            raise Refused(f"{field.name}: absent, and not nullable in Fory")
        if field.kind == "enum":
            return self.types.enumeration(field.enum)(0)
        return field.default()

    def native_field(self, field, value):
        if field.is_map:
            key, item = field.message.fields
            return {self.native_item(key, p.key): self.native_item(item, p.value) for p in value.map.entries}
        if field.repeated:
            return self.sequence(field, [self.native_item(field, item) for item in value.list.values])
        return self.native_item(field, value)

    @staticmethod
    def sequence(field, values):
        element = element_of_array(field)
        return ARRAYS[element](values) if element else values

    def native_item(self, field, value):
        if field.message is not None:
            if field.message.name in (TIMESTAMP, DURATION):
                return time_of(field, value.message)
            return self.native(field.message, value.message)
        scalar = scalar_of(field, value, field.logical)
        if field.kind == "enum":
            try:
                return self.types.enumeration(field.enum)(scalar)
            except ValueError as error:
                raise Refused(str(error)) from error
        return scalar

    def tree(self, plan, value, tree):
        # The library reads what the bytes say, also where it is not what the field declares.
        expect(value, self.types.message(plan), plan.name)
        for field in plan.fields:
            item = getattr(value, field.name)
            if item is None:
                continue
            if field.is_map:
                expect(item, dict, field.name)
                if item:
                    key_field, value_field = field.message.fields
                    entries = tree.fields.add(number=field.number).value.map.entries
                    for k, v in item.items():
                        entry = entries.add()
                        self.put_item(key_field, k, entry.key)
                        self.put_item(value_field, v, entry.value)
            elif field.repeated:
                element = element_of_array(field)
                expect(item, ARRAYS[element] if element else list, field.name)
                if len(item):
                    values = tree.fields.add(number=field.number).value.list.values
                    for element in item:
                        self.put_item(field, element, values.add())
            else:
                self.put_item(field, item, tree.fields.add(number=field.number).value)

    def put_item(self, field, item, value):
        if item is None:
            raise Refused(f"{field.name}: null in a list or map")
        if field.message is None:
            put_scalar(field, field.logical, item, value)
        elif field.message.name == TIMESTAMP:
            expect(item, datetime.datetime, field.name)
            put_time(item - EPOCH, value.message)
        elif field.message.name == DURATION:
            expect(item, datetime.timedelta, field.name)
            put_time(item, value.message)
        else:
            value.message.SetInParent()
            self.tree(field.message, item, value.message)


def expect(value, cls, where):
    if not isinstance(value, cls):
        raise Refused(f"{where}: {type(value).__name__} where {cls.__name__} is wanted")


def time_of(field, tree):
    """datetime or timedelta of a tree {seconds = 1, nanos = 2}; both hold microseconds only."""
    parts = {1: 0, 2: 0}
    for entry in tree.fields:
        parts[entry.number] = entry.value.signed
    if parts[2] % 1000:
        raise Refused(f"{field.name}: datetime holds microseconds, not {parts[2]} ns")
    delta = datetime.timedelta(seconds=parts[1], microseconds=parts[2] // 1000)
    return EPOCH + delta if field.message.name == TIMESTAMP else delta


def put_time(delta, tree):
    tree.SetInParent()
    micros = delta // datetime.timedelta(microseconds=1)
    seconds, micros = divmod(micros, 1_000_000)
    if seconds:
        tree.fields.add(number=1).value.signed = seconds
    if micros:
        tree.fields.add(number=2).value.signed = micros * 1000


def implementations(schema):
    return [("pyfory", pyfory.__version__, [Fory(schema, True), Fory(schema, False)])]
