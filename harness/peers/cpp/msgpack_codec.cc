// msgpack-cxx, through its packer and unpack. Values are protobuf messages, walked by reflection;
// that is no measure of the library, so it is not benchmarked.

#include <cstring>

#include <msgpack.hpp>

#include "scalar.h"
#include "schema.h"

namespace peer {
namespace {

using FD = pb::FieldDescriptor;

struct Output {
  std::string* bytes;
  void write(const char* data, size_t size) { bytes->append(data, size); }
};
using Packer = msgpack::packer<Output>;

void pack_text(Packer& packer, const std::string& text) {
  packer.pack_str(static_cast<uint32_t>(text.size()));
  packer.pack_str_body(text.data(), static_cast<uint32_t>(text.size()));
}

template <typename Bits, typename Number>
Bits bits_of(Number number) {
  static_assert(sizeof(Bits) == sizeof(Number));
  Bits bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

template <typename Bits>
void write_number(std::string* out, char head, Bits bits) {
  out->push_back(head);
  for (int shift = 8 * static_cast<int>(sizeof bits) - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(bits >> shift & 0xff));
  }
}

class Msgpack : public MessageCodec {
 public:
  // With `native_floats`, floats go through pack(), which makes integers of the whole ones, as
  // pack_float() does too. Without, they are written as floats past the packer.
  Msgpack(const Schema& schema, bool native_floats) : MessageCodec(schema), native_floats_(native_floats) {}
  std::string format() const override { return "msgpack"; }
  std::string writer() const override { return native_floats_ ? "cpp-native" : "cpp"; }
  bool bench() const override { return false; }

  void encode(const Native& native, std::string* out) const override {
    out->clear();
    Output output{out};
    Packer packer(output);
    pack_message(packer, out, message_of(native));
  }

  std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const override {
    auto message = schema_.make(model);
    size_t offset = 0;
    const msgpack::object_handle handle = msgpack::unpack(data.data(), data.size(), offset);
    if (offset != data.size()) throw Refused(std::to_string(data.size() - offset) + " bytes after the object");
    read_message(handle.get(), message.get());
    return std::make_unique<MessageNative>(std::move(message));
  }

 private:
  void pack_message(Packer& packer, std::string* out, const pb::Message& message) const {
    const auto* descriptor = message.GetDescriptor();
    const auto* reflection = message.GetReflection();
    packer.pack_map(static_cast<uint32_t>(descriptor->field_count()));
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const auto* field = descriptor->field(i);
      pack_text(packer, field->name());
      const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
      if (field->is_map()) {
        packer.pack_map(static_cast<uint32_t>(count));
        for (int k = 0; k < count; ++k) {
          const auto& pair = reflection->GetRepeatedMessage(message, field, k);
          pack_item(packer, out, pair, field->message_type()->map_key(), -1);
          pack_item(packer, out, pair, field->message_type()->map_value(), -1);
        }
      } else if (field->is_repeated()) {
        packer.pack_array(static_cast<uint32_t>(count));
        for (int k = 0; k < count; ++k) pack_item(packer, out, message, field, k);
      } else if (field->has_presence() && !reflection->HasField(message, field)) {
        packer.pack_nil();
      } else {
        pack_item(packer, out, message, field, -1);
      }
    }
  }

  void pack_item(Packer& packer, std::string* out, const pb::Message& message, const FD* field, int index) const {
    if (field->cpp_type() == FD::CPPTYPE_MESSAGE) {
      const auto* reflection = message.GetReflection();
      pack_message(packer, out, index < 0 ? reflection->GetMessage(message, field)
                                     : reflection->GetRepeatedMessage(message, field, index));
      return;
    }
    const Scalar scalar = get_scalar(message, field, index);
    switch (field->cpp_type()) {
      case FD::CPPTYPE_BOOL:
        scalar.boolean ? packer.pack_true() : packer.pack_false();
        break;
      case FD::CPPTYPE_FLOAT:
        native_floats_ ? void(packer.pack(scalar.float32)) : write_number(out, '\xca', bits_of<uint32_t>(scalar.float32));
        break;
      case FD::CPPTYPE_DOUBLE:
        native_floats_ ? void(packer.pack(scalar.float64)) : write_number(out, '\xcb', bits_of<uint64_t>(scalar.float64));
        break;
      case FD::CPPTYPE_STRING:
        if (field->type() == FD::TYPE_STRING) {
          pack_text(packer, scalar.text);
        } else {
          packer.pack_bin(static_cast<uint32_t>(scalar.text.size()));
          packer.pack_bin_body(scalar.text.data(), static_cast<uint32_t>(scalar.text.size()));
        }
        break;
      default:
        if (field->cpp_type() == FD::CPPTYPE_ENUM || is_signed(field)) {
          packer.pack_int64(scalar.signed_integer);
        } else {
          packer.pack_uint64(scalar.unsigned_integer);
        }
    }
  }

  void read_message(const msgpack::object& object, pb::Message* message) const {
    const auto* descriptor = message->GetDescriptor();
    if (object.type != msgpack::type::MAP) throw Refused(descriptor->full_name() + ": a map is wanted");
    const auto* reflection = message->GetReflection();
    for (const auto& entry : object.via.map) {
      const auto* field = descriptor->FindFieldByName(entry.key.as<std::string>());
      const msgpack::object& value = entry.val;
      if (field == nullptr || value.is_nil()) continue;
      reflection->ClearField(message, field);  // the last of several counts
      if (field->is_map()) {
        if (value.type != msgpack::type::MAP) throw Refused(field->full_name() + ": a map is wanted");
        for (const auto& pair : value.via.map) {
          auto* slot = reflection->AddMessage(message, field);
          read_item(pair.key, slot, field->message_type()->map_key());
          read_item(pair.val, slot, field->message_type()->map_value());
        }
      } else if (field->is_repeated()) {
        if (value.type != msgpack::type::ARRAY) throw Refused(field->full_name() + ": an array is wanted");
        for (const auto& item : value.via.array) read_item(item, message, field);
      } else {
        read_item(value, message, field);
      }
    }
  }

  // `as` throws on another type and on a number out of range, in the library's words.
  void read_item(const msgpack::object& object, pb::Message* message, const FD* field) const {
    Scalar scalar;
    switch (field->cpp_type()) {
      case FD::CPPTYPE_MESSAGE: {
        const auto* reflection = message->GetReflection();
        read_message(object, field->is_repeated() ? reflection->AddMessage(message, field)
                                                  : reflection->MutableMessage(message, field));
        return;
      }
      case FD::CPPTYPE_BOOL:
        scalar.boolean = object.as<bool>();
        break;
      case FD::CPPTYPE_FLOAT:
        scalar.float32 = object.as<float>();
        break;
      case FD::CPPTYPE_DOUBLE:
        scalar.float64 = object.as<double>();
        break;
      case FD::CPPTYPE_STRING:
        scalar.text = object.as<std::string>();
        break;
      case FD::CPPTYPE_ENUM:
      case FD::CPPTYPE_INT32:
        scalar.signed_integer = object.as<int32_t>();
        break;
      case FD::CPPTYPE_INT64:
        scalar.signed_integer = object.as<int64_t>();
        break;
      case FD::CPPTYPE_UINT32:
        scalar.unsigned_integer = is_signed(field) ? static_cast<uint32_t>(object.as<int32_t>()) : object.as<uint32_t>();
        break;
      case FD::CPPTYPE_UINT64:
        scalar.unsigned_integer = is_signed(field) ? static_cast<uint64_t>(object.as<int64_t>()) : object.as<uint64_t>();
        break;
    }
    put_scalar(message, field, scalar);
  }

  bool native_floats_;
};

}  // namespace

std::vector<Implementation> msgpack_implementations(const Schema& schema) {
  std::vector<Implementation> all;
  for (const bool native_floats : {false, true}) {
    Implementation found{native_floats ? "msgpack-cxx-native" : "msgpack-cxx", MSGPACK_VERSION, "", {}};
    found.codecs.push_back(std::make_unique<Msgpack>(schema, native_floats));
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace peer
