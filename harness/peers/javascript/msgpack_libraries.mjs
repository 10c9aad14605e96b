// msgpackr and @msgpack/msgpack, each with objects as JavaScript has them: a number does not say
// whether it is an integer or a float, so whole floats are written as integers.

import { Decoder, Encoder } from "@msgpack/msgpack";
import { Packr } from "msgpackr";

import { Plain } from "./neutral.mjs";
import { version } from "./versions.mjs";

// A 64-bit integer is a number where a number holds it exactly: else these libraries would always
// write all eight bytes.
const integer = (x) => (x >= Number.MIN_SAFE_INTEGER && x <= Number.MAX_SAFE_INTEGER ? Number(x) : x);

class Msgpack {
  format = "msgpack";

  constructor(schema, writer) {
    this.models = schema.models;
    this.writer = writer;
    this.plain = new Plain({ integer });
  }

  native(plan, tree) {
    return this.plain.objectOf(plan, tree);
  }

  tree(plan, object) {
    return this.plain.treeOf(plan, object);
  }
}

class Msgpackr extends Msgpack {
  // Maps as in every other language, not msgpackr's own records.
  packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: "auto" });

  serializer() {
    return (object) => this.packr.pack(object);
  }

  parser() {
    return (bytes) => this.packr.unpack(bytes);
  }
}

class Reference extends Msgpack {
  encoder = new Encoder({ useBigInt64: true });
  decoder = new Decoder({ useBigInt64: true });

  serializer() {
    return (object) => this.encoder.encode(object);
  }

  parser() {
    return (bytes) => this.decoder.decode(bytes);
  }
}

export function implementations(schema) {
  return [
    { name: "msgpackr", version: version("msgpackr"), codecs: [new Msgpackr(schema, "javascript-msgpackr")] },
    { name: "msgpack-javascript", version: version("@msgpack/msgpack"), codecs: [new Reference(schema, "javascript-msgpack")] },
  ];
}
