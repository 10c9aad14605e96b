// flatbuffers, through its FlatBufferBuilder, Table and Verifier. A table a message: slots in
// declaration order, enums as byte, strings and vectors of implicit presence always written,
// children made in schema order, a map as a vector of its entry tables. Values are protobuf
// messages, walked by reflection; that is no measure of the library, so it is not benchmarked.

#include <flatbuffers/flatbuffers.h>

#include "scalar.h"
#include "schema.h"

namespace peer {
namespace {

using FD = pb::FieldDescriptor;
using Builder = flatbuffers::FlatBufferBuilder;
using flatbuffers::Table;
using AnyOffset = flatbuffers::Offset<void>;

constexpr flatbuffers::voffset_t slot_of(int index) {
  return static_cast<flatbuffers::voffset_t>(4 + 2 * index);
}

bool is_offset(const FD* field) {
  return field->is_repeated() || field->cpp_type() == FD::CPPTYPE_STRING || field->cpp_type() == FD::CPPTYPE_MESSAGE;
}

// Calls `f` with a null pointer to the C++ type of the scalar, as flatc chooses it.
template <typename F>
auto with_type(const FD* field, F f) {
  switch (field->cpp_type()) {
    case FD::CPPTYPE_BOOL:
      return f(static_cast<uint8_t*>(nullptr));
    case FD::CPPTYPE_ENUM:
      return f(static_cast<int8_t*>(nullptr));
    case FD::CPPTYPE_FLOAT:
      return f(static_cast<float*>(nullptr));
    case FD::CPPTYPE_DOUBLE:
      return f(static_cast<double*>(nullptr));
    case FD::CPPTYPE_INT64:
      return f(static_cast<int64_t*>(nullptr));
    case FD::CPPTYPE_UINT64:
      return f(static_cast<uint64_t*>(nullptr));
    case FD::CPPTYPE_UINT32:
      return f(static_cast<uint32_t*>(nullptr));
    default:
      return f(static_cast<int32_t*>(nullptr));
  }
}

template <typename T>
T number_of(const FD* field, const Scalar& scalar) {
  switch (field->cpp_type()) {
    case FD::CPPTYPE_BOOL:
      return static_cast<T>(scalar.boolean);
    case FD::CPPTYPE_FLOAT:
      return static_cast<T>(scalar.float32);
    case FD::CPPTYPE_DOUBLE:
      return static_cast<T>(scalar.float64);
    case FD::CPPTYPE_UINT32:
    case FD::CPPTYPE_UINT64:
      return static_cast<T>(scalar.unsigned_integer);
    default:
      return static_cast<T>(scalar.signed_integer);
  }
}

template <typename T>
Scalar scalar_of(T number) {
  Scalar scalar;
  scalar.boolean = number != T();
  scalar.float32 = static_cast<float>(number);
  scalar.float64 = static_cast<double>(number);
  if constexpr (std::is_integral_v<T>) {
    scalar.signed_integer = static_cast<int64_t>(number);
    scalar.unsigned_integer = static_cast<uint64_t>(number);
  }
  return scalar;
}

int width_of(const FD* field) {
  if (is_offset(field)) return 4;
  return with_type(field, [](auto* type) { return static_cast<int>(sizeof *type); });
}

flatbuffers::uoffset_t write_table(Builder& builder, const pb::Message& message);

flatbuffers::uoffset_t write_child(Builder& builder, const pb::Message& message, const FD* field, int index) {
  if (field->cpp_type() == FD::CPPTYPE_MESSAGE) {
    const auto* r = message.GetReflection();
    return write_table(builder, index < 0 ? r->GetMessage(message, field) : r->GetRepeatedMessage(message, field, index));
  }
  const std::string text = get_scalar(message, field, index).text;
  if (field->type() == FD::TYPE_STRING) return builder.CreateString(text).o;
  return builder.CreateVector(reinterpret_cast<const uint8_t*>(text.data()), text.size()).o;
}

flatbuffers::uoffset_t write_vector(Builder& builder, const pb::Message& message, const FD* field) {
  const int count = message.GetReflection()->FieldSize(message, field);
  if (field->cpp_type() == FD::CPPTYPE_MESSAGE || field->cpp_type() == FD::CPPTYPE_STRING) {
    std::vector<AnyOffset> offsets;
    for (int i = 0; i < count; ++i) offsets.emplace_back(write_child(builder, message, field, i));
    return builder.CreateVector(offsets).o;
  }
  return with_type(field, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    std::vector<T> numbers;
    for (int i = 0; i < count; ++i) numbers.push_back(number_of<T>(field, get_scalar(message, field, i)));
    return builder.CreateVector(numbers).o;
  });
}

flatbuffers::uoffset_t write_table(Builder& builder, const pb::Message& message) {
  const auto* descriptor = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  const int count = descriptor->field_count();
  std::vector<flatbuffers::uoffset_t> children(static_cast<size_t>(count), 0);
  for (int i = 0; i < count; ++i) {
    const auto* field = descriptor->field(i);
    if (field->is_repeated()) {
      children[static_cast<size_t>(i)] = write_vector(builder, message, field);
    } else if (is_offset(field) && (!field->has_presence() || reflection->HasField(message, field))) {
      children[static_cast<size_t>(i)] = write_child(builder, message, field, -1);
    }
  }
  const auto start = builder.StartTable();
  // As flatc's create functions do: wide slots first, and the last declared of a width first.
  for (const int width : {8, 4, 2, 1}) {
    for (int i = count - 1; i >= 0; --i) {
      const auto* field = descriptor->field(i);
      if (width_of(field) != width) continue;
      if (is_offset(field)) {
        builder.AddOffset(slot_of(i), AnyOffset(children[static_cast<size_t>(i)]));
        continue;
      }
      if (field->has_presence() && !reflection->HasField(message, field)) continue;
      with_type(field, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const T number = number_of<T>(field, get_scalar(message, field, -1));
        if (field->has_presence()) {
          builder.AddElement<T>(slot_of(i), number);
        } else {
          builder.AddElement<T>(slot_of(i), number, T());
        }
      });
    }
  }
  return builder.EndTable(start);
}

// What the generated Verify functions do.
bool verify(flatbuffers::Verifier& verifier, const Table* table, const pb::Descriptor* descriptor) {
  if (!table->VerifyTableStart(verifier)) return false;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    const auto slot = slot_of(i);
    if (!is_offset(field)) {
      const bool good = with_type(field, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        return table->VerifyField<T>(verifier, slot, sizeof(T));
      });
      if (!good) return false;
      continue;
    }
    if (!table->VerifyOffset(verifier, slot)) return false;
    const bool of_messages = field->cpp_type() == FD::CPPTYPE_MESSAGE;
    if (field->is_repeated() && of_messages) {
      const auto* tables = table->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<Table>>*>(slot);
      if (!verifier.VerifyVector(tables)) return false;
      for (flatbuffers::uoffset_t k = 0; tables != nullptr && k < tables->size(); ++k) {
        if (!verify(verifier, tables->Get(k), field->message_type())) return false;
      }
    } else if (field->is_repeated() && field->cpp_type() == FD::CPPTYPE_STRING) {
      const auto* strings = table->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>*>(slot);
      if (!verifier.VerifyVector(strings) || !verifier.VerifyVectorOfStrings(strings)) return false;
    } else if (field->is_repeated()) {
      const bool good = with_type(field, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        return verifier.VerifyVector(table->GetPointer<const flatbuffers::Vector<T>*>(slot));
      });
      if (!good) return false;
    } else if (of_messages) {
      const auto* child = table->GetPointer<const Table*>(slot);
      if (child != nullptr && !verify(verifier, child, field->message_type())) return false;
    } else if (field->type() == FD::TYPE_STRING) {
      if (!verifier.VerifyString(table->GetPointer<const flatbuffers::String*>(slot))) return false;
    } else if (!verifier.VerifyVector(table->GetPointer<const flatbuffers::Vector<uint8_t>*>(slot))) {
      return false;
    }
  }
  return verifier.EndTable();
}

void read_table(const Table* table, pb::Message* message);

void put_text(pb::Message* message, const FD* field, const flatbuffers::String* text) {
  Scalar scalar;
  scalar.text.assign(text->c_str(), text->size());
  put_scalar(message, field, scalar);
}

void read_vector(const Table* table, flatbuffers::voffset_t slot, const FD* field, pb::Message* message) {
  if (field->cpp_type() == FD::CPPTYPE_MESSAGE) {
    for (const auto* item : *table->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<Table>>*>(slot)) {
      read_table(item, message->GetReflection()->AddMessage(message, field));
    }
  } else if (field->cpp_type() == FD::CPPTYPE_STRING) {
    for (const auto* item : *table->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>*>(slot)) {
      put_text(message, field, item);
    }
  } else {
    with_type(field, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      for (const T number : *table->GetPointer<const flatbuffers::Vector<T>*>(slot)) {
        put_scalar(message, field, scalar_of(number));
      }
    });
  }
}

void read_table(const Table* table, pb::Message* message) {
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    const auto slot = slot_of(i);
    if (table->GetOptionalFieldOffset(slot) == 0) continue;
    if (field->is_repeated()) {
      read_vector(table, slot, field, message);
    } else if (field->cpp_type() == FD::CPPTYPE_MESSAGE) {
      read_table(table->GetPointer<const Table*>(slot), message->GetReflection()->MutableMessage(message, field));
    } else if (field->cpp_type() == FD::CPPTYPE_STRING) {
      // A vector of bytes and a string are laid out alike.
      put_text(message, field, table->GetPointer<const flatbuffers::String*>(slot));
    } else {
      with_type(field, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        put_scalar(message, field, scalar_of(table->GetField<T>(slot, T())));
      });
    }
  }
}

class Flatbuffers : public MessageCodec {
 public:
  using MessageCodec::MessageCodec;
  std::string format() const override { return "flatbuffers"; }
  std::string writer() const override { return "cpp"; }
  bool bench() const override { return false; }

  void encode(const Native& native, std::string* out) const override {
    Builder builder;
    builder.Finish(flatbuffers::Offset<Table>(write_table(builder, message_of(native))));
    out->assign(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  }

  std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const override {
    auto message = schema_.make(model);
    // The bytes of a std::string are aligned as memory from the heap is, once they are not inline.
    const std::vector<uint8_t> aligned(data.begin(), data.end());
    flatbuffers::Verifier verifier(aligned.data(), aligned.size());
    const auto root = aligned.size() < 8 ? 0 : verifier.VerifyOffset(0);
    const auto* table = reinterpret_cast<const Table*>(aligned.data() + root);
    if (root == 0 || !verify(verifier, table, message->GetDescriptor())) {
      throw Refused("Verifier: not a valid " + model);
    }
    read_table(table, message.get());
    return std::make_unique<MessageNative>(std::move(message));
  }
};

}  // namespace

std::vector<Implementation> flatbuffers_implementations(const Schema& schema) {
  Implementation found{"flatbuffers",
                       std::to_string(FLATBUFFERS_VERSION_MAJOR) + "." + std::to_string(FLATBUFFERS_VERSION_MINOR) + "." +
                           std::to_string(FLATBUFFERS_VERSION_REVISION),
                       "",
                       {}};
  found.codecs.push_back(std::make_unique<Flatbuffers>(schema));
  std::vector<Implementation> all;
  all.push_back(std::move(found));
  return all;
}

}  // namespace peer
