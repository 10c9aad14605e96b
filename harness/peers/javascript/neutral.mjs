// The neutral tree of the peer protocol, and its image in plain JavaScript values.

import { INTEGERS } from "./schema.mjs";

/** What a library, or the form that it gives to values, refused, in its own words. */
export class Refused extends Error {}

const view = new DataView(new ArrayBuffer(8));

/**
 * The number of a float32, as a program has it in a literal: 12.345, not 12.345000267028809, where
 * both are the same float. Beyond the range of plain notation it stays as it is: the shortest
 * decimal of the largest float lies past it, and libraries refuse that.
 */
export function floatOf(bits) {
  view.setUint32(0, bits);
  const exact = view.getFloat32(0);
  const size = Math.abs(exact);
  if (size >= 1e-6 && size < 1e21) {
    for (let digits = 6; digits < 9; digits++) {
      const short = Number(exact.toPrecision(digits));
      if (Math.fround(short) === exact) return short;
    }
  }
  return exact;
}

export function doubleOf(bits) {
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

export function bitsOfFloat(value) {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

export function bitsOfDouble(value) {
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

const CASES = { bool: "boolean", float: "float32Bits", double: "float64Bits", string: "text", bytes: "data", enum: "enumeration" };

/**
 * The JavaScript value of a tree's scalar for values of `kind`: a number for up to 32 bits, a
 * BigInt for 64. Integers may come in either spelling, see PROTOCOL.md.
 */
export function scalarOf(field, value, kind) {
  const { case: which, value: content } = value.kind;
  const integer = INTEGERS[kind];
  if (integer !== undefined && (which === "signed" || which === "unsigned")) {
    const wrapped = integer.signed ? BigInt.asIntN(integer.bits, content) : BigInt.asUintN(integer.bits, content);
    if (BigInt.asUintN(integer.bits, content) !== content && BigInt.asIntN(integer.bits, content) !== content) {
      throw new Refused(`${field.name}: ${content} does not fit ${integer.bits} bits`);
    }
    return integer.bits === 32 ? Number(wrapped) : wrapped;
  }
  if (which !== CASES[kind]) {
    throw new Refused(`${field.name}: ${which} where ${kind} is wanted`);
  }
  if (kind === "float") return floatOf(content);
  if (kind === "double") return doubleOf(content);
  return content;
}

/** A tree's value of a JavaScript value that any library may have made: types are checked. */
export function valueOf(field, scalar, kind) {
  const integer = INTEGERS[kind];
  const wrong = () => new Refused(`${field.name}: ${typeof scalar} ${scalar} where ${kind} is wanted`);
  if (integer !== undefined) {
    if (typeof scalar !== "bigint" && !Number.isInteger(scalar)) throw wrong();
    const content = BigInt(scalar);
    if ((integer.signed ? BigInt.asIntN : BigInt.asUintN)(integer.bits, content) !== content) throw wrong();
    return { kind: { case: integer.signed ? "signed" : "unsigned", value: content } };
  }
  switch (kind) {
    case "bool":
      if (typeof scalar !== "boolean") throw wrong();
      return { kind: { case: "boolean", value: scalar } };
    case "float":
      if (typeof scalar !== "number") throw wrong();
      return { kind: { case: "float32Bits", value: bitsOfFloat(scalar) } };
    case "double":
      if (typeof scalar !== "number") throw wrong();
      return { kind: { case: "float64Bits", value: bitsOfDouble(scalar) } };
    case "string":
      if (typeof scalar !== "string") throw wrong();
      return { kind: { case: "text", value: scalar } };
    case "bytes":
      if (!(scalar instanceof Uint8Array)) throw wrong();
      return { kind: { case: "data", value: scalar } };
    default:
      if (!Number.isInteger(scalar) || scalar !== (scalar | 0)) throw wrong();
      return { kind: { case: "enumeration", value: scalar } };
  }
}

export const treeValue = (tree) => ({ kind: { case: "message", value: tree } });
export const listValue = (values) => ({ kind: { case: "list", value: { values } } });
export const mapValue = (entries) => ({ kind: { case: "map", value: { entries } } });

const DEFAULTS = { bool: false, float: 0, double: 0, string: "", enum: 0, int32: 0, uint32: 0 };

/**
 * A mapping of trees to objects by field name. A library's own choices:
 *
 * - `kind(field)`: which type values have, "logical" or "kind";
 * - `integer(bigint)`, `bigint(x)`: 64-bit integers to the library's form and back;
 * - `absent`: what an unset field of explicit presence holds; `undefined` leaves it out;
 * - `maps`: "object" or "map";
 * - `list(field, values)`: lists to the library's form (typed arrays);
 * - `message(field, tree)`, `tree(field, value)`: messages that the library has a type for; they
 *   return `undefined` for the others;
 * - `has(object, field)`: whether a field of explicit presence is set.
 */
export class Plain {
  constructor(choices) {
    Object.assign(
      this,
      {
        typed: "logical",
        integer: (x) => x,
        bigint: (x) => x,
        absent: null,
        maps: "object",
        list: (field, values) => values,
        message: () => undefined,
        tree: () => undefined,
        has: (object, field) => object[field.name] !== null && object[field.name] !== undefined,
      },
      choices,
    );
  }

  objectOf(plan, tree) {
    const object = {};
    const byNumber = new Map(tree.fields.map((field) => [field.number, field.value]));
    for (const number of byNumber.keys()) {
      if (!plan.byNumber.has(number)) throw new Refused(`${plan.name} has no field ${number}`);
    }
    for (const field of plan.fields) {
      const value = byNumber.get(field.number);
      if (value !== undefined) object[field.name] = this.#fieldOf(field, value);
      else if (field.isMap) object[field.name] = this.maps === "map" ? new Map() : {};
      else if (field.repeated) object[field.name] = this.list(field, []);
      else if (!field.presence) object[field.name] = this.#defaultOf(field);
      else if (this.absent !== undefined) object[field.name] = this.absent;
    }
    return object;
  }

  #defaultOf(field) {
    const kind = field[this.typed];
    if (kind === "int64" || kind === "uint64") return this.integer(0n, kind);
    return kind === "bytes" ? new Uint8Array(0) : DEFAULTS[kind];
  }

  #fieldOf(field, value) {
    const content = value.kind.value;
    if (field.isMap) {
      const pairs = content.entries.map((e) => [this.#itemOf(field.key, e.key), this.#itemOf(field.item, e.value)]);
      return this.maps === "map" ? new Map(pairs) : Object.fromEntries(pairs);
    }
    if (field.repeated) return this.list(field, content.values.map((item) => this.#itemOf(field, item)));
    return this.#itemOf(field, value);
  }

  #itemOf(field, value) {
    if (field.kind === "message") {
      return this.message(field, value.kind.value) ?? this.objectOf(field.message, value.kind.value);
    }
    const kind = field[this.typed];
    const scalar = scalarOf(field, value, kind);
    return typeof scalar === "bigint" ? this.integer(scalar, kind) : scalar;
  }

  treeOf(plan, object) {
    if (typeof object !== "object" || object === null || Array.isArray(object)) {
      throw new Refused(`${plan.name}: ${object} where an object is wanted`);
    }
    const fields = [];
    for (const field of plan.fields) {
      const value = object[field.name];
      if (value === null || value === undefined || (field.presence && !this.has(object, field))) continue;
      const content = this.#valueOf(field, value);
      if (content !== undefined) fields.push({ number: field.number, value: content });
    }
    return { fields };
  }

  #valueOf(field, value) {
    if (field.isMap) {
      if (typeof value !== "object") throw new Refused(`${field.name}: ${value} where a map is wanted`);
      const pairs = value instanceof Map ? [...value] : Object.entries(value);
      if (pairs.length === 0) return undefined;
      return mapValue(
        pairs.map(([k, v]) => ({ key: this.#keyValueOf(field.key, k), value: this.#itemValueOf(field.item, v) })),
      );
    }
    if (field.repeated) {
      if (!Array.isArray(value) && !ArrayBuffer.isView(value) && typeof value[Symbol.iterator] !== "function") {
        throw new Refused(`${field.name}: ${value} where a list is wanted`);
      }
      const values = Array.from(value, (item) => this.#itemValueOf(field, item));
      return values.length === 0 ? undefined : listValue(values);
    }
    return this.#itemValueOf(field, value);
  }

  // An object's keys are always text.
  #keyValueOf(key, k) {
    if (typeof k !== "string" || key.kind === "string") return this.#itemValueOf(key, k);
    if (key.kind === "bool") return valueOf(key, k === "true", "bool");
    if (!/^-?\d+$/.test(k)) throw new Refused(`${key.name}: ${k} where an integer is wanted`);
    return valueOf(key, BigInt(k), key.kind);
  }

  #itemValueOf(field, item) {
    if (field.kind === "message") {
      return treeValue(this.tree(field, item) ?? this.treeOf(field.message, item));
    }
    const kind = field[this.typed];
    const wide = kind === "int64" || kind === "uint64";
    return valueOf(field, wide ? this.bigint(item, kind) : item, kind);
  }
}
