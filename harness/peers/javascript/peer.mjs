// The JavaScript peer. Usage: peer.mjs [--versions | --native]
//
// Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.

import { readFileSync } from "node:fs";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import { measure } from "./bench.mjs";
import * as flatbuffers from "./flatbuffers_library.mjs";
import * as fory from "./fory_library.mjs";
import * as msgpack from "./msgpack_libraries.mjs";
import { Refused } from "./neutral.mjs";
import * as es from "./protobuf_es.mjs";
import * as protobufjs from "./protobufjs_library.mjs";
import { Failure_Kind, Reply, Request, readFrame, writeFrame } from "./protocol.mjs";
import { Schema } from "./schema.mjs";

const PROTOCOL_VERSION = 1;
const LIBRARIES = [es, protobufjs, flatbuffers, msgpack, fory];

class Unsupported extends Error {}

function serve(bytes) {
  const schema = new Schema(bytes);
  return { schema, implementations: LIBRARIES.flatMap((library) => library.implementations(schema)) };
}

class Peer {
  /** `measure` is how a bench request is answered. */
  constructor(measure) {
    this.measure = measure;
    this.builtIn = serve(readFileSync(new URL("models.binpb", import.meta.url)));
    this.brought = undefined;
  }

  welcome() {
    return {
      protocolVersion: PROTOCOL_VERSION,
      language: "javascript",
      runtime: `Node.js ${process.versions.node}`,
      implementations: this.builtIn.implementations.map(({ name, version, codecs, unavailable }) => ({
        name,
        version,
        unavailable,
        capabilities: codecs.map(({ format, models, writer, bench = true }) => ({
          format,
          models,
          writer,
          encode: true,
          decode: true,
          reencode: true,
          bench,
          schemas: true,
        })),
      })),
    };
  }

  /** The codec and plan of a request; the schema that was brought goes first. */
  find({ implementation, format, model }) {
    for (const source of [this.brought, this.builtIn]) {
      const found = source?.implementations.find(({ name }) => name === implementation);
      const codec = found?.codecs.find((candidate) => candidate.format === format);
      if (codec?.models.includes(model)) return { codec, plan: source.schema.plans.get(model) };
    }
    throw new Unsupported(`${implementation} ${format} ${model}`);
  }

  async answer({ case: kind, value: body }) {
    switch (kind) {
      case "hello":
        return this.welcome();
      case "schema":
        this.brought = refusing(() => serve(body.fileDescriptorSet));
        return {};
      case "encode": {
        const { codec, plan } = this.find(body);
        return { data: refusing(() => codec.serializer(plan)(codec.native(plan, body.value))) };
      }
      case "decode": {
        const { codec, plan } = this.find(body);
        const native = refusing(() => codec.parser(plan)(body.data));
        return { value: codec.tree(plan, native) };
      }
      case "reencode": {
        const { codec, plan } = this.find(body);
        return { data: refusing(() => codec.serializer(plan)(codec.parser(plan)(body.data))) };
      }
      case "bench": {
        const { codec, plan } = this.find(body);
        if (codec.bench === false) throw new Unsupported(`bench of ${body.implementation} ${body.format}`);
        return await refusingLater(() => this.measure(body, codec.native(plan, body.value), codec.serializer(plan), codec.parser(plan)));
      }
      default:
        throw new Unsupported("a request of a kind that this peer does not know");
    }
  }

  async replyTo(frame) {
    const request = fromBinary(Request, frame);
    let body;
    try {
      body = { case: request.body.case, value: await this.answer(request.body) };
    } catch (error) {
      body = { case: "failure", value: { kind: kindOf(error), message: String(error.message).toWellFormed() } };
    }
    return toBinary(Reply, create(Reply, { id: request.id, body }));
  }
}

function kindOf(error) {
  if (error instanceof Refused) return Failure_Kind.REFUSED;
  if (error instanceof Unsupported) return Failure_Kind.UNSUPPORTED;
  console.error(error); // a fault of this program: said, not died of
  return Failure_Kind.INTERNAL;
}

/** Calls into a library: what it throws is a refusal in its own words. */
function refusing(call) {
  try {
    return call();
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  }
}

/** The same for a call that may take its time. */
async function refusingLater(call) {
  try {
    return await call();
  } catch (error) {
    return refusing(() => {
      throw error;
    });
  }
}

// Only frames may go to stdout: whatever a library prints goes to stderr.
const stdout = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);

const native = process.argv.includes("--native");
const peer = new Peer(native ? (await import("./native.mjs")).measure : measure);
if (process.argv.includes("--versions")) {
  for (const { name, version, unavailable } of peer.builtIn.implementations) {
    stdout(`${name} ${unavailable ?? version}\n`);
  }
} else {
  for (let frame = readFrame(); frame !== null; frame = readFrame()) {
    writeFrame(await peer.replyTo(frame));
  }
}
