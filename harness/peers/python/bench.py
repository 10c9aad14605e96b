"""The calibrated loop of PROTOCOL.md, "Bench"."""

import time

DEFAULT_BATCH_NS = 1_000_000


def fnv1a_64(data):
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return digest


def time_batch(operation, argument, iterations):
    """Nanoseconds of a batch, and its last result."""
    result = None
    start = time.perf_counter_ns()
    for _ in range(iterations):
        result = operation(argument)
    return time.perf_counter_ns() - start, result


def timed(request, native, serialize, parse):
    """The operation of a request and its argument."""
    encoded = serialize(native)
    return {
        request.SERIALIZE: (serialize, native),
        request.DESERIALIZE: (parse, encoded),
        request.ROUNDTRIP: (lambda value: parse(serialize(value)), native),
    }[request.operation]


def describe(request, result, serialize, measured):
    """Checksum and length of what the last operation gave."""
    data = result if request.operation == request.SERIALIZE else serialize(result)
    measured.checksum = fnv1a_64(data)
    measured.encoded_bytes = len(data)


def measure(request, native, serialize, parse, measured):
    operation, argument = timed(request, native, serialize, parse)
    batch_ns = request.batch_ns or DEFAULT_BATCH_NS

    iterations = 1
    spent = 0
    while True:
        elapsed, result = time_batch(operation, argument, iterations)
        spent += elapsed
        if elapsed * 2 < batch_ns:
            iterations *= 2
        elif spent >= request.warmup_ns:
            break
    iterations = max(1, iterations * batch_ns // elapsed)

    spent = 0
    while spent < request.duration_ns or not measured.batches_ns:
        elapsed, result = time_batch(operation, argument, iterations)
        spent += elapsed
        measured.batches_ns.append(elapsed)
    measured.batch_iterations = iterations
    describe(request, result, serialize, measured)
