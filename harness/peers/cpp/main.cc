// The C++ peer. Usage: peer [--versions]
//
// Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "codec.h"
#include "schema.h"

namespace peer {
namespace {

using interop::peer::Failure;
using interop::peer::Reply;
using interop::peer::Request;

constexpr uint32_t kProtocolVersion = 1;
constexpr uint32_t kFrameLimitBytes = 256u << 20;

// A schema with the implementations that serve it.
struct Served {
  template <typename... Arguments>
  explicit Served(Arguments&&... arguments) : schema(std::forward<Arguments>(arguments)...) {
    for (auto* library : {protobuf_implementations, flatbuffers_implementations, msgpack_implementations, fory_implementations}) {
      for (auto& implementation : library(schema)) implementations.push_back(std::move(implementation));
    }
  }
  Schema schema;
  std::vector<Implementation> implementations;
};

class Peer {
 public:
  const std::vector<Implementation>& implementations() const { return built_in_.implementations; }

  Reply reply_to(const Request& request) {
    Reply reply;
    try {
      answer(request, &reply);
    } catch (const Unsupported& error) {
      fail(&reply, Failure::UNSUPPORTED, error.what());
    } catch (const std::bad_alloc&) {
      fail(&reply, Failure::REFUSED, "std::bad_alloc");
    } catch (const std::exception& error) {
      // This program itself throws Refused only; the rest comes out of the libraries.
      fail(&reply, Failure::REFUSED, error.what());
    }
    reply.set_id(request.id());
    return reply;
  }

 private:
  static void fail(Reply* reply, Failure::Kind kind, const std::string& message) {
    reply->Clear();
    reply->mutable_failure()->set_kind(kind);
    std::string text;
    for (const char c : message) text += static_cast<signed char>(c) < 0 ? '?' : c;  // it may quote what is no text
    reply->mutable_failure()->set_message(text);
  }

  const Codec& find(const std::string& implementation, const std::string& format, const std::string& model) const {
    // The schema that a request brought goes first.
    for (const Served* served : {static_cast<const Served*>(brought_.get()), &built_in_}) {
      if (served == nullptr) continue;
      for (const auto& candidate : served->implementations) {
        if (candidate.name != implementation) continue;
        for (const auto& codec : candidate.codecs) {
          const auto models = codec->models();
          if (codec->format() == format && std::find(models.begin(), models.end(), model) != models.end()) return *codec;
        }
      }
    }
    throw Unsupported(implementation + " " + format + " " + model);
  }

  template <typename Body>
  const Codec& find(const Body& body) const {
    return find(body.implementation(), body.format(), body.model());
  }

  void answer(const Request& request, Reply* reply) {
    switch (request.body_case()) {
      case Request::kHello:
        welcome(reply->mutable_hello());
        break;
      case Request::kSchema:
        brought_ = std::make_unique<Served>(request.schema().file_descriptor_set());
        reply->mutable_schema();
        break;
      case Request::kEncode: {
        const auto& body = request.encode();
        const Codec& codec = find(body);
        codec.encode(*codec.native(body.model(), body.value()), reply->mutable_encode()->mutable_data());
        break;
      }
      case Request::kDecode: {
        const auto& body = request.decode();
        const Codec& codec = find(body);
        codec.tree(*codec.decode(body.model(), body.data()), reply->mutable_decode()->mutable_value());
        break;
      }
      case Request::kReencode: {
        const auto& body = request.reencode();
        const Codec& codec = find(body);
        codec.encode(*codec.decode(body.model(), body.data()), reply->mutable_reencode()->mutable_data());
        break;
      }
      case Request::kBench: {
        const Codec& codec = find(request.bench());
        if (!codec.bench()) throw Unsupported("bench of " + request.bench().implementation() + " " + request.bench().format());
        measure(request.bench(), codec, reply->mutable_bench());
        break;
      }
      case Request::BODY_NOT_SET:
        throw Unsupported("a request of a kind that this peer does not know");
    }
  }

  void welcome(interop::peer::Welcome* welcome) const {
    welcome->set_protocol_version(kProtocolVersion);
    welcome->set_language("cpp");
    welcome->set_runtime("C++17, compiler " __VERSION__);
    for (const auto& implementation : implementations()) {
      auto* described = welcome->add_implementations();
      described->set_name(implementation.name);
      described->set_version(implementation.version);
      described->set_unavailable(implementation.unavailable);
      for (const auto& codec : implementation.codecs) {
        auto* capability = described->add_capabilities();
        capability->set_format(codec->format());
        for (const auto& model : codec->models()) capability->add_models(model);
        capability->set_encode(true);
        capability->set_decode(true);
        capability->set_reencode(true);
        capability->set_bench(codec->bench());
        capability->set_writer(codec->writer());
        capability->set_schemas(codec->schemas());
      }
    }
  }

  Served built_in_;
  std::unique_ptr<Served> brought_;
};

// Reads `size` bytes; false where stdin ends before the first.
bool read_exactly(int fd, char* data, size_t size) {
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = read(fd, data + filled, size - filled);
    if (count > 0) {
      filled += static_cast<size_t>(count);
    } else if (count == 0) {
      if (filled == 0) return false;
      throw std::runtime_error("stdin ended inside a frame");
    } else if (errno != EINTR) {
      throw std::runtime_error(std::string("read: ") + std::strerror(errno));
    }
  }
  return true;
}

void write_all(int fd, const std::string& data) {
  size_t written = 0;
  while (written < data.size()) {
    const ssize_t count = write(fd, data.data() + written, data.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      throw std::runtime_error(std::string("write: ") + std::strerror(errno));
    }
  }
}

std::string head_of(size_t size) {
  std::string head;
  for (int shift = 0; shift < 32; shift += 8) head += static_cast<char>(size >> shift & 0xff);
  return head;
}

void serve(int in, int out, Peer* peer) {
  char head[4];
  std::string frame;
  while (read_exactly(in, head, sizeof head)) {
    uint32_t size = 0;
    for (int i = 3; i >= 0; --i) size = size << 8 | static_cast<unsigned char>(head[i]);
    if (size > kFrameLimitBytes) throw std::runtime_error("a frame of " + std::to_string(size) + " bytes is too long");
    frame.resize(size);
    if (size > 0 && !read_exactly(in, frame.data(), size)) throw std::runtime_error("stdin ended inside a frame");
    Request request;
    if (!request.ParseFromString(frame)) throw std::runtime_error("a frame that is no request");
    const std::string body = peer->reply_to(request).SerializeAsString();
    write_all(out, head_of(body.size()) + body);
  }
}

int run(int count, char** arguments) {
  // Only frames may go to stdout: whatever a library prints goes to stderr.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);

  Peer peer;
  if (count > 1 && std::string(arguments[1]) == "--versions") {
    for (const auto& implementation : peer.implementations()) {
      write_all(out, implementation.name + " " +
                         (implementation.unavailable.empty() ? implementation.version : implementation.unavailable) + "\n");
    }
    return 0;
  }
  serve(STDIN_FILENO, out, &peer);
  return 0;
}

}  // namespace
}  // namespace peer

int main(int count, char** arguments) {
  try {
    return peer::run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
