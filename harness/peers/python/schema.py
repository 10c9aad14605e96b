"""What the mappings need to know of a schema, read off protobuf descriptors.

A Plan describes a message, a Field one of its fields. Both come from a FileDescriptorSet, so the
models that the peer was built with and those that a request brings are served by the same code.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as FD

KINDS = {
    FD.TYPE_BOOL: "bool",
    FD.TYPE_INT32: "int32",
    FD.TYPE_SINT32: "int32",
    FD.TYPE_SFIXED32: "int32",
    FD.TYPE_INT64: "int64",
    FD.TYPE_SINT64: "int64",
    FD.TYPE_SFIXED64: "int64",
    FD.TYPE_UINT32: "uint32",
    FD.TYPE_FIXED32: "uint32",
    FD.TYPE_UINT64: "uint64",
    FD.TYPE_FIXED64: "uint64",
    FD.TYPE_FLOAT: "float",
    FD.TYPE_DOUBLE: "double",
    FD.TYPE_STRING: "string",
    FD.TYPE_BYTES: "bytes",
    FD.TYPE_ENUM: "enum",
    FD.TYPE_MESSAGE: "message",
    FD.TYPE_GROUP: "message",
}
INTEGERS = {"int32": (32, True), "int64": (64, True), "uint32": (32, False), "uint64": (64, False)}
DEFAULTS = {"bool": False, "float": 0.0, "double": 0.0, "string": "", "bytes": b"", "enum": 0}
TIMESTAMP = "google.protobuf.Timestamp"
DURATION = "google.protobuf.Duration"


def is_time(plan):
    """A message that is a plain value in Fory, and so not nullable by itself."""
    return plan is not None and plan.name in (TIMESTAMP, DURATION)


class Field:
    """A field: `kind` is its type on the protobuf wire, `logical` the type that its values have.

    The two differ where `(fory.field).type` gives an unsigned wire type signed values.
    """

    def __init__(self, schema, descriptor):
        self.name = descriptor.name
        self.number = descriptor.number
        self.kind = KINDS[descriptor.type]
        self.repeated = descriptor.is_repeated
        self.presence = descriptor.has_presence
        self.enum = descriptor.enum_type
        self.message = None
        self.is_map = False
        if self.kind == "message":
            self.message = schema.plan(descriptor.message_type)
            self.is_map = descriptor.message_type.GetOptions().map_entry
        options = schema.options(descriptor, descriptor_pb2.FieldOptions)
        fory = options.Extensions[schema.fory_field] if schema.fory_field else None
        self.fory_type = fory.type if fory else ""
        self.fory_nullable = self.presence and not is_time(self.message)
        if fory and fory.HasField("nullable"):
            self.fory_nullable = fory.nullable
        self.fory_ref = bool(fory and fory.ref)
        self.logical = self.kind
        if self.kind in INTEGERS and self.fory_type:
            width = "64" if "64" in self.fory_type else "32"
            self.logical = ("uint" if "uint" in self.fory_type else "int") + width

    def default(self):
        """The value of an absent field of implicit presence."""
        return DEFAULTS.get(self.kind, 0)


class Plan:
    """A message: its fields in declaration order."""

    def __init__(self, descriptor):
        self.name = descriptor.full_name
        self.descriptor = descriptor
        self.message_class = message_factory.GetMessageClass(descriptor)
        self.fields = []
        self.by_number = {}
        self.fory_id = None
        self.fory_evolving = True

    def finish(self, schema):
        options = schema.options(self.descriptor, descriptor_pb2.MessageOptions)
        if schema.fory_message and options.HasExtension(schema.fory_message):
            fory = options.Extensions[schema.fory_message]
            self.fory_id = fory.id if fory.HasField("id") else None
            if fory.HasField("evolving"):
                self.fory_evolving = fory.evolving
        self.fields = [Field(schema, field) for field in self.descriptor.fields]
        self.by_number = {field.number: field for field in self.fields}


class Schema:
    """All messages of a FileDescriptorSet."""

    def __init__(self, file_descriptor_set):
        files = descriptor_pb2.FileDescriptorSet.FromString(file_descriptor_set)
        self.pool = descriptor_pool.DescriptorPool()
        self.plans = {}
        self.models = []
        # Options are parsed by descriptor.proto's own classes, which live in the default pool;
        # so the extensions have to be known there.
        for file in files.file:
            if file.name == "fory/options.proto":
                try:
                    descriptor_pool.Default().FindFileByName(file.name)
                except KeyError:
                    descriptor_pool.Default().Add(file)
        self.fory_field = self.extension("fory.field")
        self.fory_message = self.extension("fory.message")
        self.fory_enumeration = self.extension("fory.enumeration")
        for file in files.file:
            self.pool.Add(file)
        for file in files.file:
            if file.package not in ("google.protobuf", "fory"):
                for message in self.pool.FindFileByName(file.name).message_types_by_name.values():
                    self.add(message)

    @staticmethod
    def extension(name):
        try:
            return descriptor_pool.Default().FindExtensionByName(name)
        except KeyError:
            return None

    @staticmethod
    def options(descriptor, options_class):
        return options_class.FromString(descriptor.GetOptions().SerializeToString())

    def add(self, descriptor):
        self.models.append(self.plan(descriptor).name)
        for nested in descriptor.nested_types:
            if not nested.GetOptions().map_entry:
                self.add(nested)

    def plan(self, descriptor):
        plan = self.plans.get(descriptor.full_name)
        if plan is None:
            # Registered before its fields are looked at: messages may contain themselves.
            plan = self.plans[descriptor.full_name] = Plan(descriptor)
            plan.finish(self)
        return plan
