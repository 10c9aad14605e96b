package interopcheck.peer;

import interop.peer.Peer.Bench;
import interop.peer.Peer.Measured;

/** The calibrated loop of PROTOCOL.md, "Bench". */
final class Benchmark {
  private static final long DEFAULT_BATCH_NS = 1_000_000;

  private final Codec codec;
  private final Bench request;
  private final Object source;
  private final byte[] encoded;
  private byte[] bytes;
  private Object decoded;

  Benchmark(Codec codec, Bench request) throws Exception {
    this.codec = codec;
    this.request = request;
    this.source = codec.nativeOf(request.getModel(), request.getValue());
    this.encoded = codec.encode(request.getModel(), source);
  }

  static Measured measure(Codec codec, Bench request) throws Exception {
    return new Benchmark(codec, request).run();
  }

  private Measured run() throws Exception {
    long batchNs = request.getBatchNs() == 0 ? DEFAULT_BATCH_NS : request.getBatchNs();
    long iterations = 1;
    for (long spent = 0; ; ) {
      long elapsed = batch(iterations);
      spent += elapsed;
      if (elapsed * 2 < batchNs) {
        iterations *= 2;
      } else if (spent >= request.getWarmupNs()) {
        iterations = Math.max(1, iterations * batchNs / elapsed);
        break;
      }
    }
    Measured.Builder measured = Measured.newBuilder().setBatchIterations(iterations);
    for (long spent = 0; spent < request.getDurationNs() || measured.getBatchesNsCount() == 0; ) {
      long elapsed = batch(iterations);
      spent += elapsed;
      measured.addBatchesNs(elapsed);
    }
    return describe(measured);
  }

  /** Adds checksum and length of what the last operation gave. */
  Measured describe(Measured.Builder measured) throws Exception {
    byte[] last = decoded == null ? bytes : codec.encode(request.getModel(), decoded);
    return measured.setChecksum(fnv1a64(last)).setEncodedBytes(last.length).build();
  }

  /** One operation, for a tool that has a loop of its own. */
  Object once() throws Exception {
    String model = request.getModel();
    return switch (request.getOperation()) {
      case DESERIALIZE -> decoded = codec.decode(model, encoded);
      case ROUNDTRIP -> decoded = codec.decode(model, codec.encode(model, source));
      default -> bytes = codec.encode(model, source);
    };
  }

  /** Nanoseconds of a batch. Results go to fields, so that they count as used. */
  private long batch(long iterations) throws Exception {
    String model = request.getModel();
    long start = System.nanoTime();
    switch (request.getOperation()) {
      case DESERIALIZE -> {
        for (long i = 0; i < iterations; i++) {
          decoded = codec.decode(model, encoded);
        }
      }
      case ROUNDTRIP -> {
        for (long i = 0; i < iterations; i++) {
          decoded = codec.decode(model, codec.encode(model, source));
        }
      }
      default -> {
        for (long i = 0; i < iterations; i++) {
          bytes = codec.encode(model, source);
        }
      }
    }
    return Math.max(1, System.nanoTime() - start);
  }

  private static long fnv1a64(byte[] data) {
    long digest = 0xcbf29ce484222325L;
    for (byte b : data) {
      digest = (digest ^ (b & 0xff)) * 0x100000001b3L;
    }
    return digest;
  }
}
