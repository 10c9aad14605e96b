// protobufjs, by reflection: it compiles its codecs from the descriptors at run time.

import { ScalarType } from "@bufbuild/protobuf";
import Long from "long";
import protobuf from "protobufjs";

import { Plain } from "./neutral.mjs";
import { version } from "./versions.mjs";

protobuf.util.Long = Long;
protobuf.configure();

const TWO_32 = 32n;

function longOf(integer, kind) {
  const bits = BigInt.asUintN(64, integer);
  return Long.fromBits(Number(bits & 0xffffffffn) | 0, Number(bits >> TWO_32) | 0, kind === "uint64");
}

function bigintOf(long, kind) {
  if (!Long.isLong(long)) return long;
  const bits = (BigInt(long.high >>> 0) << TWO_32) | BigInt(long.low >>> 0);
  return kind === "uint64" ? bits : BigInt.asIntN(64, bits);
}

/**
 * The library's own JSON form of a schema. Its reader of descriptor sets makes plain messages of
 * map entries, so it is not used.
 */
function jsonOf(schema) {
  const root = { nested: {} };
  const scope = (name) => name.split(".").reduce((at, part) => (((at.nested ??= {})[part] ??= {})), root);
  for (const file of schema.registry.files) {
    for (const type of file.enums) addEnum(scope, type);
    for (const type of file.messages) addMessage(scope, type);
  }
  return root;
}

function addEnum(scope, type) {
  scope(type.typeName).values = Object.fromEntries(type.values.map((value) => [value.name, value.number]));
}

function addMessage(scope, type) {
  const message = scope(type.typeName);
  message.fields = {};
  for (const field of type.fields) {
    const itself = field.message?.typeName ?? field.enum?.typeName;
    const json = { id: field.number, type: itself ? `.${itself}` : ScalarType[field.scalar].toLowerCase() };
    if (field.fieldKind === "map") json.keyType = ScalarType[field.mapKey].toLowerCase();
    if (field.fieldKind === "list") {
      json.rule = "repeated";
      json.options = { packed: field.packed };
    }
    if (field.proto.proto3Optional) json.options = { proto3_optional: true };
    message.fields[field.name] = json;
  }
  const oneofs = type.oneofs.map((oneof) => [oneof.name, { oneof: oneof.fields.map((field) => field.name) }]);
  const optional = type.fields.filter((field) => field.proto.proto3Optional);
  message.oneofs = Object.fromEntries([...oneofs, ...optional.map((field) => [`_${field.name}`, { oneof: [field.name] }])]);
  type.nestedEnums.forEach((nested) => addEnum(scope, nested));
  type.nestedMessages.forEach((nested) => addMessage(scope, nested));
}

class Protobufjs {
  format = "protobuf";
  writer = "javascript-protobufjs";

  constructor(schema) {
    this.models = schema.models;
    this.root = protobuf.Root.fromJSON(jsonOf(schema)).resolveAll();
    this.plain = new Plain({
      typed: "kind",
      integer: longOf,
      bigint: bigintOf,
      absent: undefined,
      has: (object, field) => object[field.name] !== null && Object.hasOwn(object, field.name),
    });
  }

  native(plan, tree) {
    return this.root.lookupType(plan.name).create(this.plain.objectOf(plan, tree));
  }

  tree(plan, message) {
    return this.plain.treeOf(plan, message);
  }

  serializer(plan) {
    const type = this.root.lookupType(plan.name);
    return (message) => type.encode(message).finish();
  }

  parser(plan) {
    const type = this.root.lookupType(plan.name);
    return (bytes) => type.decode(bytes);
  }
}

export function implementations(schema) {
  return [{ name: "protobufjs", version: version("protobufjs"), codecs: [new Protobufjs(schema)] }];
}
