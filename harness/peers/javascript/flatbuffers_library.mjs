// flatbuffers, through its Builder and ByteBuffer. A table a message: slots in declaration order,
// enums as byte, strings and vectors of implicit presence always written, children made in schema
// order, a map as a vector of its entry tables.

import { Builder, ByteBuffer } from "flatbuffers";

import { Plain, Refused } from "./neutral.mjs";
import { version } from "./versions.mjs";

const TYPES = {
  bool: { width: 1, suffix: "Int8" },
  enum: { width: 1, suffix: "Int8" },
  int32: { width: 4, suffix: "Int32" },
  uint32: { width: 4, suffix: "Int32", read: "Uint32" },
  int64: { width: 8, suffix: "Int64" },
  uint64: { width: 8, suffix: "Int64", read: "Uint64" },
  float: { width: 4, suffix: "Float32" },
  double: { width: 8, suffix: "Float64" },
};

const scalarType = (field) => (field.repeated ? undefined : TYPES[field.logical]);
const zero = (type) => (type.width === 8 && type.suffix === "Int64" ? 0n : 0);

/** Slots as flatc's create functions add them: wide first, the last declared of a width first. */
function addOrder(plan) {
  const slots = plan.fields.map((field, slot) => ({ field, slot, width: scalarType(field)?.width ?? 4 }));
  return [8, 4, 2, 1].flatMap((width) => slots.filter((entry) => entry.width === width).reverse());
}

class Flatbuffers {
  format = "flatbuffers";
  writer = "javascript";
  bench = false; // generated code is what users run, not this walk along the schema

  constructor(schema) {
    this.models = schema.models;
    this.plain = new Plain({ maps: "map" });
    this.orders = new Map();
  }

  native(plan, tree) {
    return this.plain.objectOf(plan, tree);
  }

  tree(plan, object) {
    return this.plain.treeOf(plan, object);
  }

  serializer(plan) {
    const builder = new Builder(1024);
    return (object) => {
      builder.clear();
      builder.finish(this.#writeTable(builder, plan, object));
      return builder.asUint8Array();
    };
  }

  #writeTable(builder, plan, object) {
    const children = plan.fields.map((field) => {
      const value = object[field.name];
      if (value === null || value === undefined) return 0;
      if (field.isMap) {
        const entries = [...value].map(([k, v]) => ({ key: k, value: v }));
        return this.#writeVector(builder, entries, undefined, (entry) => this.#writeTable(builder, field.entry, entry));
      }
      if (field.repeated) {
        return this.#writeVector(builder, value, TYPES[field.logical], (item) => this.#writeChild(builder, field, item));
      }
      return scalarType(field) === undefined ? this.#writeChild(builder, field, value) : 0;
    });
    let order = this.orders.get(plan);
    if (order === undefined) this.orders.set(plan, (order = addOrder(plan)));
    builder.startObject(plan.fields.length);
    for (const { field, slot } of order) {
      const type = scalarType(field);
      if (type === undefined) {
        builder.addFieldOffset(slot, children[slot], 0);
      } else if (object[field.name] !== null) {
        const fallback = field.presence ? null : zero(type);
        builder[`addField${type.suffix}`](slot, this.#scalar(field, object[field.name]), fallback);
      }
    }
    return builder.endObject();
  }

  #scalar(field, value) {
    return field.logical === "bool" ? +value : value;
  }

  #writeChild(builder, field, value) {
    if (field.kind === "message") return this.#writeTable(builder, field.message, value);
    return field.kind === "string" ? builder.createString(value) : builder.createByteVector(value);
  }

  #writeVector(builder, values, type, writeChild) {
    if (type === undefined) {
      const offsets = values.map(writeChild);
      builder.startVector(4, offsets.length, 4);
      for (let i = offsets.length - 1; i >= 0; i--) builder.addOffset(offsets[i]);
    } else {
      builder.startVector(type.width, values.length, type.width);
      for (let i = values.length - 1; i >= 0; i--) {
        const value = values[i];
        builder[`add${type.suffix}`](typeof value === "boolean" ? +value : value);
      }
    }
    return builder.endVector();
  }

  parser(plan) {
    return (bytes) => {
      if (bytes.length < 8) throw new Refused("shorter than a root offset and a table");
      const buffer = new ByteBuffer(bytes);
      return this.#readTable(buffer, plan, buffer.readInt32(0));
    };
  }

  #readTable(buffer, plan, position) {
    // The library checks nothing: what lies outside reads as NaN or undefined.
    if (!(position >= 4 && position <= buffer.capacity() - 4)) throw new Refused(`${plan.name}: a table at ${position}`);
    const object = {};
    plan.fields.forEach((field, slot) => {
      const offset = buffer.__offset(position, 4 + 2 * slot);
      if (offset === 0) {
        object[field.name] = field.isMap ? new Map() : field.repeated ? [] : this.#absent(field);
      } else if (field.isMap) {
        const entries = this.#readVector(buffer, field, position + offset, undefined, (at) =>
          this.#readTable(buffer, field.entry, buffer.__indirect(at)),
        );
        object[field.name] = new Map(entries.map((entry) => [entry.key, entry.value]));
      } else if (field.repeated) {
        object[field.name] = this.#readVector(buffer, field, position + offset, TYPES[field.logical], (at) =>
          this.#readItem(buffer, field, at),
        );
      } else {
        object[field.name] = this.#readItem(buffer, field, position + offset);
      }
    });
    return object;
  }

  #absent(field) {
    if (field.presence) return null;
    if (field.logical === "string") return "";
    if (field.logical === "bytes") return new Uint8Array(0);
    return field.logical === "bool" ? false : zero(TYPES[field.logical]);
  }

  #readItem(buffer, field, at) {
    if (field.kind === "message") return this.#readTable(buffer, field.message, buffer.__indirect(at));
    if (field.kind === "string") return buffer.__string(at);
    if (field.kind === "bytes") {
      return Uint8Array.from(this.#readVector(buffer, field, at, { width: 1 }, (i) => buffer.readUint8(i)));
    }
    const type = TYPES[field.logical];
    const value = buffer[`read${type.read ?? type.suffix}`](at);
    return field.logical === "bool" ? value !== 0 : value;
  }

  #readVector(buffer, field, at, type, read) {
    const width = type?.width ?? 4;
    const length = buffer.__vector_len(at);
    const start = buffer.__vector(at);
    if (!(length >= 0 && start >= 0 && start + length * width <= buffer.capacity())) {
      throw new Refused(`${field.name}: a vector of ${length} elements passes the end of the buffer`);
    }
    return Array.from({ length }, (_, i) => read(start + i * width));
  }
}

export function implementations(schema) {
  return [{ name: "flatbuffers", version: version("flatbuffers"), codecs: [new Flatbuffers(schema)] }];
}
