// The messages that are served: those built in, or those of a FileDescriptorSet.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <map>

#include "codec.h"

namespace peer {

class Schema {
 public:
  Schema();  // of the generated code
  explicit Schema(const std::string& file_descriptor_set);

  const std::vector<std::string>& models() const { return models_; }
  bool is_built_in() const { return pool_ == nullptr; }
  std::unique_ptr<pb::Message> make(const std::string& model) const;

 private:
  void add_file(const pb::FileDescriptor* file, pb::MessageFactory* factory);
  void add(const pb::Descriptor* message, pb::MessageFactory* factory);

  std::unique_ptr<pb::DescriptorPool> pool_;
  std::unique_ptr<pb::DynamicMessageFactory> factory_;
  std::vector<std::string> models_;
  std::map<std::string, const pb::Message*> prototypes_;
};

// The values of msgpack and flatbuffers too are protobuf messages here: one mapping serves all.
struct MessageNative : Native {
  explicit MessageNative(std::unique_ptr<pb::Message> m) : message(std::move(m)) {}
  std::unique_ptr<pb::Message> message;
};

class MessageCodec : public Codec {
 public:
  explicit MessageCodec(const Schema& schema) : schema_(schema) {}
  std::vector<std::string> models() const override { return schema_.models(); }
  bool schemas() const override { return true; }
  std::unique_ptr<Native> native(const std::string& model, const interop::peer::Tree& tree) const override;
  void tree(const Native& native, interop::peer::Tree* tree) const override;

 protected:
  static const pb::Message& message_of(const Native& native) {
    return *static_cast<const MessageNative&>(native).message;
  }
  const Schema& schema_;
};

}  // namespace peer
