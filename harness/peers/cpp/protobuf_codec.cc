// libprotobuf: binary and JSON.

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/common.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/json_util.h>

#include "schema.h"

namespace peer {
namespace {

// The library says by a bool that it refused; why, it says to its log.
std::string last_log;

void keep_log(pb::LogLevel, const char*, int, const std::string& message) { last_log = message; }

class Binary : public MessageCodec {
 public:
  using MessageCodec::MessageCodec;
  std::string format() const override { return "protobuf"; }
  std::string writer() const override { return "cpp"; }
  bool bench() const override { return true; }

  void encode(const Native& native, std::string* out) const override {
    const auto& message = message_of(native);
    const size_t size = message.ByteSizeLong();
    out->resize(size);
    pb::io::ArrayOutputStream array(out->data(), static_cast<int>(size));
    pb::io::CodedOutputStream coded(&array);
    // A map's order is free on the wire; the golden files are in the deterministic one.
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
    if (coded.HadError()) throw Refused("SerializeWithCachedSizes failed");
  }

  std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const override {
    auto message = schema_.make(model);
    last_log.clear();
    if (!message->ParseFromString(data)) throw Refused("ParseFromString failed" + (last_log.empty() ? "" : ": " + last_log));
    return std::make_unique<MessageNative>(std::move(message));
  }
};

class Json : public MessageCodec {
 public:
  using MessageCodec::MessageCodec;
  std::string format() const override { return "json"; }
  std::string writer() const override { return "cpp"; }
  bool bench() const override { return true; }

  void encode(const Native& native, std::string* out) const override {
    pb::util::JsonPrintOptions options;
    options.preserve_proto_field_names = true;
    out->clear();
    const auto status = pb::util::MessageToJsonString(message_of(native), out, options);
    if (!status.ok()) throw Refused(status.ToString());
  }

  std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const override {
    auto message = schema_.make(model);
    const auto status = pb::util::JsonStringToMessage(data, message.get());
    if (!status.ok()) throw Refused(status.ToString());
    return std::make_unique<MessageNative>(std::move(message));
  }
};

}  // namespace

std::vector<Implementation> protobuf_implementations(const Schema& schema) {
  pb::SetLogHandler(keep_log);
  Implementation found{"libprotobuf", pb::internal::VersionString(GOOGLE_PROTOBUF_VERSION), "", {}};
  found.codecs.push_back(std::make_unique<Binary>(schema));
  found.codecs.push_back(std::make_unique<Json>(schema));
  std::vector<Implementation> all;
  all.push_back(std::move(found));
  return all;
}

}  // namespace peer
