"""Bench by pyperf (PROTOCOL.md, "Bench by a language's own tool").

The peer writes a request to a file and runs this file as a program; pyperf starts it again for each of
its worker processes, which read the same request.
"""

import os
import subprocess
import sys
import tempfile

# Samples are nanoseconds an operation, given as batches of so many operations: a whole number of
# nanoseconds alone would be too coarse for the fastest ones.
ITERATIONS = 10_000


def measure(build, body, native, serialize, parse, measured):
    """Answers a bench request by pyperf."""
    import bench
    import pyperf

    operation, argument = bench.timed(body, native, serialize, parse)
    bench.describe(body, operation(argument), serialize, measured)
    with tempfile.TemporaryDirectory() as folder:
        request, samples = os.path.join(folder, "request"), os.path.join(folder, "samples.json")
        with open(request, "wb") as file:
            file.write(body.SerializeToString())
        batch_ns = body.batch_ns or bench.DEFAULT_BATCH_NS
        values = max(1, body.duration_ns // batch_ns)
        # pyperf calls its target twice before it measures: to calibrate, and to warm up.
        command = [sys.executable, __file__, build, request, "--output", samples, "--quiet"]
        command += ["--inherit-environ", "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"]
        command += ["--processes", str(min(2, values)), "--values", str(-(-values // min(2, values)))]
        command += ["--warmups", str(max(1, body.warmup_ns // batch_ns))]
        command += ["--min-time", f"{max(batch_ns, 1_000_000) / 1e9:.6f}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise RuntimeError(f"pyperf: {done.stdout.decode(errors='replace')[-2000:]}")
        measured.batch_iterations = ITERATIONS
        for seconds in pyperf.Benchmark.load(samples).get_values():
            measured.batches_ns.append(round(seconds * 1e9 * ITERATIONS))


def work(build, request):
    """A worker, or the one that starts the workers."""
    import pyperf

    import bench
    from peer import Peer

    peer = Peer(build)
    with open(request, "rb") as file:
        body = peer.Request(bench={}).bench.FromString(file.read())
    codec, plan = peer.find(body)
    operation, argument = bench.timed(
        body, codec.native(plan, body.value), codec.serializer(plan), codec.parser(plan)
    )
    runner = pyperf.Runner(program_args=(__file__, build, request))
    runner.bench_func("operation", operation, argument)


if __name__ == "__main__":
    build, request = sys.argv[1:3]
    del sys.argv[1:3]
    work(build, request)
