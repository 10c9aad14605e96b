// @bufbuild/protobuf: binary and JSON.

import { create, fromBinary, fromJsonString, mergeFromBinary, toBinary, toJsonString } from "@bufbuild/protobuf";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { reflect } from "@bufbuild/protobuf/reflect";

import { Refused, listValue, mapValue, scalarOf, treeValue, valueOf } from "./neutral.mjs";
import { version } from "./versions.mjs";

function fill(plan, tree, target) {
  for (const { number, value } of tree.fields) {
    const field = plan.byNumber.get(number);
    if (field === undefined) throw new Refused(`${plan.name} has no field ${number}`);
    const content = value.kind.value;
    if (field.isMap) {
      const map = target.get(field.descriptor);
      for (const entry of content.entries) {
        must(map.set(scalarOf(field.key, entry.key, field.key.kind), itemOf(field.item, entry.value)));
      }
    } else if (field.repeated) {
      const list = target.get(field.descriptor);
      for (const item of content.values) must(list.add(itemOf(field, item)));
    } else {
      must(target.set(field.descriptor, itemOf(field, value)));
    }
  }
  if (tree.unknown.length > 0) mergeFromBinary(plan.descriptor, target.message, tree.unknown);
}

// The library gives what it refuses back as an error.
function must(result) {
  if (result instanceof Error) throw result;
}

function itemOf(field, value) {
  if (field.kind !== "message") return scalarOf(field, value, field.kind);
  const target = reflect(field.message.descriptor);
  fill(field.message, value.kind.value, target);
  return target;
}

function treeOf(plan, source) {
  const fields = [];
  for (const field of plan.fields) {
    if (!source.isSet(field.descriptor)) continue;
    const content = source.get(field.descriptor);
    let value;
    if (field.isMap) {
      value = mapValue(
        Array.from(content, ([k, v]) => ({ key: valueOf(field.key, k, field.key.kind), value: itemValue(field.item, v) })),
      );
    } else if (field.repeated) {
      value = listValue(Array.from(content, (item) => itemValue(field, item)));
    } else {
      value = itemValue(field, content);
    }
    fields.push({ number: field.number, value });
  }
  return { fields, unknown: unknownBytes(source.getUnknown() ?? []) };
}

function itemValue(field, item) {
  return field.kind === "message" ? treeValue(treeOf(field.message, item)) : valueOf(field, item, field.kind);
}

function unknownBytes(unknown) {
  const writer = new BinaryWriter();
  for (const { no, wireType, data } of unknown) writer.tag(no, wireType).raw(data);
  return writer.finish();
}

class Messages {
  writer = "javascript-es";

  constructor(schema) {
    this.schema = schema;
    this.models = schema.models;
  }

  native(plan, tree) {
    const target = reflect(plan.descriptor, create(plan.descriptor));
    fill(plan, tree, target);
    return target.message;
  }

  tree(plan, message) {
    return treeOf(plan, reflect(plan.descriptor, message));
  }
}

class Binary extends Messages {
  format = "protobuf";

  serializer(plan) {
    return (message) => toBinary(plan.descriptor, message);
  }

  parser(plan) {
    return (bytes) => fromBinary(plan.descriptor, bytes);
  }
}

class Json extends Messages {
  format = "json";

  serializer(plan) {
    const options = { useProtoFieldName: true, registry: this.schema.registry };
    const encoder = new TextEncoder();
    return (message) => encoder.encode(toJsonString(plan.descriptor, message, options));
  }

  parser(plan) {
    const options = { registry: this.schema.registry };
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return (bytes) => fromJsonString(plan.descriptor, decoder.decode(bytes), options);
  }
}

export function implementations(schema) {
  return [{ name: "protobuf-es", version: version("@bufbuild/protobuf"), codecs: [new Binary(schema), new Json(schema)] }];
}
