// What the mappings need to know of a schema, read off a FileDescriptorSet.

import { ScalarType, createFileRegistry, fromBinary, getOption, hasOption } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const KINDS = new Map([
  [ScalarType.BOOL, "bool"],
  [ScalarType.INT32, "int32"],
  [ScalarType.SINT32, "int32"],
  [ScalarType.SFIXED32, "int32"],
  [ScalarType.INT64, "int64"],
  [ScalarType.SINT64, "int64"],
  [ScalarType.SFIXED64, "int64"],
  [ScalarType.UINT32, "uint32"],
  [ScalarType.FIXED32, "uint32"],
  [ScalarType.UINT64, "uint64"],
  [ScalarType.FIXED64, "uint64"],
  [ScalarType.FLOAT, "float"],
  [ScalarType.DOUBLE, "double"],
  [ScalarType.STRING, "string"],
  [ScalarType.BYTES, "bytes"],
]);

export const INTEGERS = {
  int32: { bits: 32, signed: true },
  int64: { bits: 64, signed: true },
  uint32: { bits: 32, signed: false },
  uint64: { bits: 64, signed: false },
};

export const TIMESTAMP = "google.protobuf.Timestamp";
export const DURATION = "google.protobuf.Duration";

/** Whether a message is a plain value in Fory, and so not nullable by itself. */
export function isTime(plan) {
  return plan !== undefined && (plan.name === TIMESTAMP || plan.name === DURATION);
}

/**
 * The messages of a FileDescriptorSet as plans: fields in declaration order, each with `kind`, its
 * type on the protobuf wire, and `logical`, the type of its values; the two differ where
 * `(fory.field).type` gives an unsigned wire type signed values. A map field has `key` and `item`.
 */
export class Schema {
  constructor(bytes) {
    this.registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
    this.plans = new Map();
    this.models = [];
    for (const file of this.registry.files) {
      const name = file.proto.package;
      if (name !== "google.protobuf" && name !== "fory") {
        file.messages.forEach((message) => this.#add(message));
      }
    }
  }

  #add(message) {
    this.models.push(this.#plan(message).name);
    message.nestedMessages.forEach((nested) => this.#add(nested));
  }

  #option(descriptor, name) {
    const extension = this.registry.getExtension(name);
    return extension !== undefined && hasOption(descriptor, extension) ? getOption(descriptor, extension) : {};
  }

  #plan(message) {
    let plan = this.plans.get(message.typeName);
    if (plan === undefined) {
      plan = { name: message.typeName, descriptor: message, fields: [], byNumber: new Map() };
      // Registered before its fields are looked at: messages may contain themselves.
      this.plans.set(plan.name, plan);
      plan.foryId = this.#option(message, "fory.message").id;
      for (const descriptor of message.fields) {
        const field = this.#field(descriptor);
        plan.fields.push(field);
        plan.byNumber.set(field.number, field);
      }
    }
    return plan;
  }

  #field(descriptor) {
    const isMap = descriptor.fieldKind === "map";
    const fory = this.#option(descriptor, "fory.field");
    const field = {
      name: descriptor.name,
      number: descriptor.number,
      descriptor,
      isMap,
      repeated: isMap || descriptor.fieldKind === "list",
      presence: descriptor.presence !== FeatureSet_FieldPresence.IMPLICIT,
      foryType: fory.type ?? "",
      foryRef: fory.ref === true,
      ...this.#item(descriptor),
    };
    if (field.repeated) field.presence = false;
    if (isMap) {
      field.key = { name: "key", number: 1, kind: KINDS.get(descriptor.mapKey), logical: KINDS.get(descriptor.mapKey) };
      field.item = { name: "value", number: 2, ...this.#item(descriptor), repeated: false, presence: false };
      field.item.presence = field.item.kind === "message";
      field.item.logical = field.item.kind;
      // As a message, a map field is a list of its entries.
      field.entry = { name: `${field.name} entry`, fields: [field.key, field.item] };
    }
    field.foryNullable = fory.nullable ?? (field.presence && !isTime(field.message));
    field.logical = field.kind;
    if (field.kind in INTEGERS && field.foryType !== "") {
      const width = field.foryType.includes("64") ? "64" : "32";
      field.logical = (field.foryType.includes("uint") ? "uint" : "int") + width;
    }
    return field;
  }

  #item(descriptor) {
    if (descriptor.message !== undefined) {
      return { kind: "message", message: this.#plan(descriptor.message) };
    }
    if (descriptor.enum !== undefined) {
      return { kind: "enum", enum: descriptor.enum, enumId: this.#option(descriptor.enum, "fory.enumeration").id };
    }
    return { kind: KINDS.get(descriptor.scalar) };
  }
}
