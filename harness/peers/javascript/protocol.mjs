// The messages of the peer protocol, and its frames on stdin and stdout.

import { readFileSync, readSync, writeSync } from "node:fs";

import { Schema } from "./schema.mjs";

const schema = new Schema(readFileSync(new URL("peer.binpb", import.meta.url)));

export const Request = schema.registry.getMessage("interop.peer.Request");
export const Reply = schema.registry.getMessage("interop.peer.Reply");
export const Bench_Operation = { SERIALIZE: 1, DESERIALIZE: 2, ROUNDTRIP: 3 };
export const Failure_Kind = { REFUSED: 1, UNSUPPORTED: 2, INTERNAL: 3 };

const FRAME_LIMIT_BYTES = 256 << 20;
const pause = new Int32Array(new SharedArrayBuffer(4));

// A pipe may be in non-blocking mode.
function patiently(call) {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

/** Reads `size` bytes; null where stdin ends before the first. */
function readExactly(size) {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = patiently(() => readSync(0, bytes, filled, size - filled, null));
    if (count === 0) {
      if (filled === 0) return null;
      throw new Error("stdin ended inside a frame");
    }
    filled += count;
  }
  return bytes;
}

export function readFrame() {
  const head = readExactly(4);
  if (head === null) return null;
  const size = new DataView(head.buffer).getUint32(0, true);
  if (size > FRAME_LIMIT_BYTES) throw new Error(`a frame of ${size} bytes is longer than ${FRAME_LIMIT_BYTES}`);
  const frame = readExactly(size);
  if (frame === null && size > 0) throw new Error("stdin ended inside a frame");
  return frame;
}

export function writeFrame(body) {
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, 4);
  let written = 0;
  while (written < frame.length) {
    written += patiently(() => writeSync(1, frame, written));
  }
}
