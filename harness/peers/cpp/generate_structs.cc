// Writes the structs that Fory for C++ serves, from the descriptors of the models.
// Usage: generate_structs OUTPUT

#include <fstream>
#include <iostream>
#include <set>

#include "bench.pb.h"
#include "fory/options.pb.h"
#include "suite.pb.h"

namespace pb = google::protobuf;

namespace {

using FD = pb::FieldDescriptor;

std::string name_of(const std::string& full_name) {
  std::string name = full_name;
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
}

bool is_time(const pb::Descriptor* message) {
  return message != nullptr && (message->full_name() == "google.protobuf.Timestamp" ||
                                message->full_name() == "google.protobuf.Duration");
}

const FD* item_of(const FD* field) { return field->is_map() ? field->message_type()->map_value() : field; }

// Every type that can be reached is registered by number; a message may not contain itself.
bool serves(const pb::Descriptor* message, std::set<const pb::Descriptor*> above) {
  const auto& options = message->options();
  if (!options.HasExtension(fory::message) || !options.GetExtension(fory::message).has_id()) return false;
  if (!above.insert(message).second) return false;
  for (int i = 0; i < message->field_count(); ++i) {
    const auto* reached = item_of(message->field(i))->message_type();
    if (reached != nullptr && !is_time(reached) && !serves(reached, above)) return false;
  }
  return true;
}

class Generator {
 public:
  explicit Generator(std::ostream& out) : out_(out) {
    out_ << "#pragma once\n\n#include <map>\n#include <optional>\n#include <string>\n#include <vector>\n\n"
            "#include \"fory/serialization/fory.h\"\n#include \"fory/serialization/temporal_serializers.h\"\n\n";
  }

  void file(const pb::FileDescriptor* file) {
    for (int i = 0; i < file->message_type_count(); ++i) {
      if (serves(file->message_type(i), {})) message(file->message_type(i));
    }
  }

  void finish() {
    out_ << "#define FORY_MODELS(X)" << models_ << "\n\n#define FORY_ENUMS(X)" << enums_ << "\n";
  }

 private:
  void enumeration(const pb::EnumDescriptor* type) {
    if (!done_.insert(type->full_name()).second) return;
    const std::string name = name_of(type->full_name());
    std::string declared, listed;
    for (int i = 0; i < type->value_count(); ++i) {
      const auto* value = type->value(i);
      declared += (i == 0 ? "" : ", ") + value->name() + " = " + std::to_string(value->number());
      listed += ", " + value->name();
    }
    out_ << "namespace fory_models {\nenum class " << name << " : int32_t { " << declared << " };\n}\n"
         << "FORY_ENUM(::fory_models::" << name << listed << ");\n\n";
    enums_ += " \\\n  X(::fory_models::" + name + ", " +
              std::to_string(type->options().GetExtension(fory::enumeration).id()) + ")";
  }

  void message(const pb::Descriptor* type) {
    if (!done_.insert(type->full_name()).second) return;
    for (int i = 0; i < type->field_count(); ++i) {
      const auto* item = item_of(type->field(i));
      if (item->enum_type() != nullptr) enumeration(item->enum_type());
      if (item->message_type() != nullptr && !is_time(item->message_type())) message(item->message_type());
    }
    const std::string name = name_of(type->full_name());
    std::string members, visits, listed;
    for (int i = 0; i < type->field_count(); ++i) {
      const auto* field = type->field(i);
      const std::string number = std::to_string(field->number());
      members += "  " + field_type(field) + " f" + number + "{};\n";
      visits += " v(" + number + ", f" + number + ");";
      listed += ", (f" + number + ", ::fory::F(" + number + ")" + specification(field) + ")";
    }
    out_ << "namespace fory_models {\nstruct " << name << " {\n"
         << members << "  template <typename V>\n  void visit(V& v) {" << visits << " }\n  FORY_STRUCT(" << name << listed
         << ");\n};\n}\n\n";
    models_ += " \\\n  X(::fory_models::" + name + ", \"" + type->full_name() + "\", " +
               std::to_string(type->options().GetExtension(fory::message).id()) + ")";
  }

  static const fory::ForyFieldOptions& options(const FD* field) { return field->options().GetExtension(fory::field); }

  static bool is_nullable(const FD* field) {
    return options(field).has_nullable() ? options(field).nullable()
                                         : field->has_presence() && !is_time(field->message_type());
  }

  static bool is_array(const FD* field) { return options(field).type().rfind("array<", 0) == 0; }

  static std::string item_type(const FD* field) {
    const bool unsigned_logical = options(field).type().empty() || options(field).type().find("uint") != std::string::npos;
    switch (field->cpp_type()) {
      case FD::CPPTYPE_BOOL:
        return "bool";
      case FD::CPPTYPE_FLOAT:
        return "float";
      case FD::CPPTYPE_DOUBLE:
        return "double";
      case FD::CPPTYPE_STRING:
        return field->type() == FD::TYPE_STRING ? "std::string" : "std::vector<uint8_t>";
      case FD::CPPTYPE_INT32:
        return "int32_t";
      case FD::CPPTYPE_INT64:
        return "int64_t";
      case FD::CPPTYPE_UINT32:
        return unsigned_logical ? "uint32_t" : "int32_t";
      case FD::CPPTYPE_UINT64:
        return unsigned_logical ? "uint64_t" : "int64_t";
      case FD::CPPTYPE_ENUM:
        return "::fory_models::" + name_of(field->enum_type()->full_name());
      case FD::CPPTYPE_MESSAGE:
        if (is_time(field->message_type())) return "::fory::serialization::" + field->message_type()->name();
        return "::fory_models::" + name_of(field->message_type()->full_name());
    }
    return "";
  }

  static std::string field_type(const FD* field) {
    if (field->is_map()) {
      return "std::map<" + item_type(field->message_type()->map_key()) + ", " +
             item_type(field->message_type()->map_value()) + ">";
    }
    if (field->is_repeated()) return "std::vector<" + item_type(field) + ">";
    return is_nullable(field) ? "std::optional<" + item_type(field) + ">" : item_type(field);
  }

  static std::string encoding(const FD* field) {
    const std::string type = options(field).type();
    const auto space = type.find(' ');
    return space == std::string::npos ? "varint" : type.substr(0, space);
  }

  // The word of Fory's type language, empty for types that the C++ type says all of.
  static std::string word(const FD* field, bool dense) {
    const std::string type = item_type(field);
    if (type == "bool") return "::fory::T::boolean()";
    if (type == "float") return "::fory::T::float32()";
    if (type == "double") return "::fory::T::float64()";
    if (type == "std::string") return "::fory::T::string()";
    const auto end = type.find("_t");
    if (type.rfind("::", 0) == 0 || end == std::string::npos || type.find("int") == std::string::npos) return "";
    return "::fory::T::" + type.substr(0, end) + "()" + (dense ? "" : "." + encoding(field) + "()");
  }

  static std::string specification(const FD* field) {
    if (field->is_map()) {
      const std::string key = word(field->message_type()->map_key(), false);
      const std::string value = word(field->message_type()->map_value(), false);
      return key.empty() || value.empty() ? "" : ".map(" + key + ", " + value + ")";
    }
    if (is_array(field)) return ".array(" + word(field, true) + ")";
    const std::string item = word(field, false);
    if (field->is_repeated()) return item.empty() ? "" : ".list(" + item + ")";
    if (is_nullable(field)) return item.empty() ? ".nullable()" : ".nullable().inner(" + item + ")";
    return item.find("int") == std::string::npos ? "" : "." + encoding(field) + "()";
  }

  std::ostream& out_;
  std::set<std::string> done_;
  std::string models_;
  std::string enums_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: generate_structs OUTPUT\n";
    return 2;
  }
  std::ofstream out(arguments[1]);
  Generator generator(out);
  generator.file(protobuf::NumericStruct::descriptor()->file());
  generator.file(suite::SimpleStruct::descriptor()->file());
  generator.finish();
  return out.good() ? 0 : 1;
}
