package interopcheck.peer;

import interop.peer.Peer.Bench;
import interop.peer.Peer.Measured;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * PROTOCOL.md, "Bench by a language's own tool", with JMH: one fork, throughput, an iteration as
 * long as a batch. The fork reads the request from a file.
 */
@State(Scope.Benchmark)
public class Native {
  private static final String REQUEST = "interopcheck.request";
  private static final long SHORTEST_NS = 1_000_000;

  // Samples are nanoseconds an operation, given as batches of so many operations: a whole number of
  // nanoseconds alone would be too coarse for the fastest ones.
  private static final long ITERATIONS = 10_000;

  private Benchmark timed;

  @Setup
  public void read() throws Exception {
    timed = Main.benchmark(Bench.parseFrom(Files.readAllBytes(Path.of(System.getProperty(REQUEST)))));
  }

  @org.openjdk.jmh.annotations.Benchmark
  public Object operation() throws Exception {
    return timed.once();
  }

  static Measured measure(Codec codec, Bench request) throws Exception {
    Benchmark here = new Benchmark(codec, request);
    here.once();
    long batchNs = Math.max(SHORTEST_NS, request.getBatchNs());
    Path file = Files.createTempFile("interopcheck", ".request");
    try {
      Files.write(file, request.toByteArray());
      Options options =
          new OptionsBuilder()
              .include("^" + Native.class.getName().replace(".", "\\.") + "\\.operation$")
              .jvmArgsAppend("-D" + REQUEST + "=" + file)
              .forks(1)
              .threads(1)
              .mode(Mode.Throughput)
              .timeUnit(TimeUnit.SECONDS)
              .warmupIterations(iterations(request.getWarmupNs(), batchNs))
              .warmupTime(TimeValue.nanoseconds(batchNs))
              .measurementIterations(iterations(request.getDurationNs(), batchNs))
              .measurementTime(TimeValue.nanoseconds(batchNs))
              .shouldFailOnError(true)
              .verbosity(VerboseMode.SILENT)
              .build();
      Measured.Builder measured = Measured.newBuilder().setBatchIterations(ITERATIONS);
      for (RunResult result : new Runner(options).run()) {
        for (BenchmarkResult fork : result.getBenchmarkResults()) {
          for (IterationResult iteration : fork.getIterationResults()) {
            double perSecond = iteration.getPrimaryResult().getScore();
            measured.addBatchesNs(Math.round(1e9 / perSecond * ITERATIONS));
          }
        }
      }
      return here.describe(measured);
    } finally {
      Files.delete(file);
    }
  }

  private static int iterations(long totalNs, long batchNs) {
    return (int) Math.max(1, totalNs / batchNs);
  }
}
