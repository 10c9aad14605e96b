#include "schema.h"

#include "bench.pb.h"
#include "suite.pb.h"

namespace peer {

Schema::Schema() {
  auto* factory = pb::MessageFactory::generated_factory();
  add_file(protobuf::NumericStruct::descriptor()->file(), factory);
  add_file(suite::SimpleStruct::descriptor()->file(), factory);
}

Schema::Schema(const std::string& file_descriptor_set) {
  pb::FileDescriptorSet set;
  if (!set.ParseFromString(file_descriptor_set)) throw Refused("not a FileDescriptorSet");
  pool_ = std::make_unique<pb::DescriptorPool>();
  factory_ = std::make_unique<pb::DynamicMessageFactory>(pool_.get());
  for (const auto& file : set.file()) {
    const auto* built = pool_->BuildFile(file);
    if (built == nullptr) throw Refused(file.name() + ": not a valid file descriptor");
    if (file.package() != "google.protobuf" && file.package() != "fory") add_file(built, factory_.get());
  }
}

void Schema::add_file(const pb::FileDescriptor* file, pb::MessageFactory* factory) {
  for (int i = 0; i < file->message_type_count(); ++i) add(file->message_type(i), factory);
}

void Schema::add(const pb::Descriptor* message, pb::MessageFactory* factory) {
  if (message->options().map_entry()) return;
  models_.push_back(message->full_name());
  prototypes_[message->full_name()] = factory->GetPrototype(message);
  for (int i = 0; i < message->nested_type_count(); ++i) add(message->nested_type(i), factory);
}

std::unique_ptr<pb::Message> Schema::make(const std::string& model) const {
  return std::unique_ptr<pb::Message>(prototypes_.at(model)->New());
}

}  // namespace peer
