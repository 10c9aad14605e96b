// The calibrated loop of PROTOCOL.md, "Bench".

import { Bench_Operation } from "./protocol.mjs";

const DEFAULT_BATCH_NS = 1_000_000n;

function fnv1a64(bytes) {
  let digest = 0xcbf29ce484222325n;
  for (const byte of bytes) digest = BigInt.asUintN(64, (digest ^ BigInt(byte)) * 0x100000001b3n);
  return digest;
}

/** The operation of a request and its argument. */
export function timed(request, native, serialize, parse) {
  const encoded = serialize(native).slice();
  return {
    [Bench_Operation.SERIALIZE]: [serialize, native],
    [Bench_Operation.DESERIALIZE]: [parse, encoded],
    [Bench_Operation.ROUNDTRIP]: [(value) => parse(serialize(value)), native],
  }[request.operation];
}

/** Checksum and length of what the last operation gave. */
export function describe(request, result, serialize) {
  const bytes = request.operation === Bench_Operation.SERIALIZE ? result : serialize(result);
  return { checksum: fnv1a64(bytes), encodedBytes: BigInt(bytes.length) };
}

export function measure(request, native, serialize, parse) {
  const [operation, argument] = timed(request, native, serialize, parse);
  let result;
  const batch = (iterations) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < iterations; i++) result = operation(argument);
    return process.hrtime.bigint() - start;
  };
  const batchNs = request.batchNs || DEFAULT_BATCH_NS;

  let iterations = 1;
  let spent = 0n;
  for (;;) {
    const elapsed = batch(iterations);
    spent += elapsed;
    if (elapsed * 2n < batchNs) {
      iterations *= 2;
    } else if (spent >= request.warmupNs) {
      iterations = Math.max(1, Number((BigInt(iterations) * batchNs) / elapsed));
      break;
    }
  }
  const batchesNs = [];
  spent = 0n;
  while (spent < request.durationNs || batchesNs.length === 0) {
    const elapsed = batch(iterations);
    spent += elapsed;
    batchesNs.push(elapsed);
  }
  return { batchIterations: BigInt(iterations), batchesNs, ...describe(request, result, serialize) };
}
