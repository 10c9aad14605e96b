// What every library is wrapped as.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "peer.pb.h"

namespace pb = google::protobuf;

namespace peer {

// What a library, or the form that it gives to values, refused, in its own words.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Not declared by this peer.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Schema;

// A library's own object for one message.
struct Native {
  virtual ~Native() = default;
  std::string model;  // where the codec needs to know
};

// A format as one implementation serves it.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::string format() const = 0;
  virtual std::string writer() const = 0;
  virtual std::vector<std::string> models() const = 0;
  virtual bool bench() const = 0;
  virtual bool schemas() const = 0;

  virtual std::unique_ptr<Native> native(const std::string& model, const interop::peer::Tree& tree) const = 0;
  virtual void tree(const Native& native, interop::peer::Tree* tree) const = 0;
  // Replaces `out`, whose capacity is reused.
  virtual void encode(const Native& native, std::string* out) const = 0;
  virtual std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const = 0;
};

struct Implementation {
  std::string name;
  std::string version;
  std::string unavailable;
  std::vector<std::unique_ptr<Codec>> codecs;
};

std::vector<Implementation> protobuf_implementations(const Schema& schema);
std::vector<Implementation> msgpack_implementations(const Schema& schema);
std::vector<Implementation> flatbuffers_implementations(const Schema& schema);
std::vector<Implementation> fory_implementations(const Schema& schema);

void measure(const interop::peer::Bench& request, const Codec& codec, interop::peer::Measured* measured);

}  // namespace peer
