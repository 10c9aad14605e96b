// The calibrated loop of PROTOCOL.md, "Bench".

#include <algorithm>
#include <chrono>

#include "codec.h"

namespace peer {
namespace {

constexpr uint64_t kDefaultBatchNs = 1'000'000;

uint64_t fnv1a_64(const std::string& bytes) {
  uint64_t digest = 0xcbf29ce484222325;
  for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001b3;
  return digest;
}

// The compiler must take the value as used.
template <typename T>
void consume(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

}  // namespace

void measure(const interop::peer::Bench& request, const Codec& codec, interop::peer::Measured* measured) {
  using interop::peer::Bench;
  const std::string& model = request.model();
  const auto native = codec.native(model, request.value());
  std::string encoded;
  codec.encode(*native, &encoded);

  std::string bytes;
  std::unique_ptr<Native> decoded;
  const auto once = [&] {
    if (request.operation() != Bench::DESERIALIZE) codec.encode(*native, &bytes);
    if (request.operation() != Bench::SERIALIZE) {
      decoded = codec.decode(model, request.operation() == Bench::ROUNDTRIP ? bytes : encoded);
    }
    consume(bytes);
    consume(decoded);
  };
  const auto batch = [&](uint64_t iterations) {
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < iterations; ++i) once();
    const auto elapsed = std::chrono::steady_clock::now() - start;
    return std::max<uint64_t>(1, static_cast<uint64_t>(std::chrono::nanoseconds(elapsed).count()));
  };
  const uint64_t batch_ns = request.batch_ns() == 0 ? kDefaultBatchNs : request.batch_ns();

  uint64_t iterations = 1;
  for (uint64_t spent = 0;;) {
    const uint64_t elapsed = batch(iterations);
    spent += elapsed;
    if (elapsed * 2 < batch_ns) {
      iterations *= 2;
    } else if (spent >= request.warmup_ns()) {
      iterations = std::max<uint64_t>(1, iterations * batch_ns / elapsed);
      break;
    }
  }
  for (uint64_t spent = 0; spent < request.duration_ns() || measured->batches_ns_size() == 0;) {
    const uint64_t elapsed = batch(iterations);
    spent += elapsed;
    measured->add_batches_ns(elapsed);
  }
  measured->set_batch_iterations(iterations);
  if (decoded != nullptr) codec.encode(*decoded, &bytes);
  measured->set_checksum(fnv1a_64(bytes));
  measured->set_encoded_bytes(bytes.size());
}

}  // namespace peer
