// Bench by mitata (PROTOCOL.md, "Bench by a language's own tool").

import { measure as sample } from "mitata";

import { describe, timed } from "./bench.mjs";

// Samples are nanoseconds an operation, given as batches of so many operations: a whole number of
// nanoseconds alone would be too coarse for the fastest ones.
const ITERATIONS = 10_000;
// Single operations give very many samples, which come sorted; so many of them say the same.
const MOST_SAMPLES = 1000;

export async function measure(request, native, serialize, parse) {
  const [operation, argument] = timed(request, native, serialize, parse);
  const batchNs = Number(request.batchNs) || 1e6;
  let result;
  const run = () => (result = operation(argument));
  const once = (ns) => sample(run, { min_cpu_time: ns, min_samples: Math.max(1, Math.ceil(ns / batchNs)) });
  await once(Number(request.warmupNs));
  const { samples: all } = await once(Number(request.durationNs));
  const step = Math.ceil(all.length / MOST_SAMPLES);
  const samples = all.filter((_, index) => index % step === 0);
  return {
    batchIterations: BigInt(ITERATIONS),
    batchesNs: samples.map((ns) => BigInt(Math.round(ns * ITERATIONS))),
    ...describe(request, result, serialize),
  };
}
