#include "scalar.h"

#include <google/protobuf/unknown_field_set.h>

#include <cstring>

#include "fory/options.pb.h"
#include "schema.h"

namespace peer {

using interop::peer::Tree;
using interop::peer::Value;
using FD = pb::FieldDescriptor;

namespace {

template <typename To, typename From>
To bits_of(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// Options of a dynamic message's descriptor hold the extension as an unknown field; parsed again
// by the generated code, it is known.
std::string fory_type(const FD* field) {
  const auto& options = field->options();
  if (options.HasExtension(fory::field)) return options.GetExtension(fory::field).type();
  if (options.unknown_fields().empty()) return "";
  pb::FieldOptions again;
  again.ParseFromString(options.SerializeAsString());
  return again.GetExtension(fory::field).type();
}

Scalar scalar_of(const FD* field, const Value& value) {
  Scalar scalar;
  const auto wrong = [&] { return Refused(field->full_name() + ": a value of another type than the field's"); };
  switch (field->cpp_type()) {
    case FD::CPPTYPE_INT32:
    case FD::CPPTYPE_UINT32:
    case FD::CPPTYPE_INT64:
    case FD::CPPTYPE_UINT64: {
      // Integers may come in either spelling, see PROTOCOL.md.
      if (value.kind_case() == Value::kSigned) {
        scalar.signed_integer = value.signed_();
        scalar.unsigned_integer = static_cast<uint64_t>(value.signed_());
      } else if (value.kind_case() == Value::kUnsigned) {
        scalar.unsigned_integer = value.unsigned_();
        scalar.signed_integer = static_cast<int64_t>(value.unsigned_());
      } else {
        throw wrong();
      }
      const bool narrow = field->cpp_type() == FD::CPPTYPE_INT32 || field->cpp_type() == FD::CPPTYPE_UINT32;
      const int64_t wide = scalar.signed_integer;
      if (narrow && (wide < INT32_MIN || wide > static_cast<int64_t>(UINT32_MAX))) {
        throw Refused(field->full_name() + ": " + std::to_string(wide) + " does not fit 32 bits");
      }
      break;
    }
    case FD::CPPTYPE_BOOL:
      if (value.kind_case() != Value::kBoolean) throw wrong();
      scalar.boolean = value.boolean();
      break;
    case FD::CPPTYPE_FLOAT:
      if (value.kind_case() != Value::kFloat32Bits) throw wrong();
      scalar.float32 = bits_of<float>(value.float32_bits());
      break;
    case FD::CPPTYPE_DOUBLE:
      if (value.kind_case() != Value::kFloat64Bits) throw wrong();
      scalar.float64 = bits_of<double>(value.float64_bits());
      break;
    case FD::CPPTYPE_ENUM:
      if (value.kind_case() != Value::kEnumeration) throw wrong();
      scalar.signed_integer = value.enumeration();
      break;
    case FD::CPPTYPE_STRING:
      if (value.kind_case() == Value::kText) {
        scalar.text = value.text();
      } else if (value.kind_case() == Value::kData) {
        scalar.text = value.data();
      } else {
        throw wrong();
      }
      break;
    case FD::CPPTYPE_MESSAGE:
      throw wrong();
  }
  return scalar;
}

bool is_utf8(const std::string& text) {
  // The tree's own serializer would only log it.
  size_t i = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  while (i < text.size()) {
    const unsigned char lead = bytes[i];
    const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k) {
      if ((bytes[i + k] & 0xC0) != 0x80) return false;
    }
    if ((lead == 0xE0 && bytes[i + 1] < 0xA0) || (lead == 0xED && bytes[i + 1] > 0x9F) ||
        (lead == 0xF0 && bytes[i + 1] < 0x90) || (lead == 0xF4 && bytes[i + 1] > 0x8F)) {
      return false;
    }
    i += length;
  }
  return true;
}

void value_of(const FD* field, const Scalar& scalar, Value* value) {
  switch (field->cpp_type()) {
    case FD::CPPTYPE_INT32:
    case FD::CPPTYPE_INT64:
      value->set_signed_(scalar.signed_integer);
      break;
    case FD::CPPTYPE_UINT32:
    case FD::CPPTYPE_UINT64:
      value->set_unsigned_(scalar.unsigned_integer);
      break;
    case FD::CPPTYPE_BOOL:
      value->set_boolean(scalar.boolean);
      break;
    case FD::CPPTYPE_FLOAT:
      value->set_float32_bits(bits_of<uint32_t>(scalar.float32));
      break;
    case FD::CPPTYPE_DOUBLE:
      value->set_float64_bits(bits_of<uint64_t>(scalar.float64));
      break;
    case FD::CPPTYPE_ENUM:
      value->set_enumeration(static_cast<int32_t>(scalar.signed_integer));
      break;
    case FD::CPPTYPE_STRING:
      if (field->type() == FD::TYPE_STRING && is_utf8(scalar.text)) {
        value->set_text(scalar.text);
      } else {
        value->set_data(scalar.text);
      }
      break;
    case FD::CPPTYPE_MESSAGE:
      break;
  }
}

// One element: index is negative for a singular field.
void value_at(const pb::Message& message, const FD* field, int index, Value* value) {
  if (field->cpp_type() != FD::CPPTYPE_MESSAGE) {
    value_of(field, get_scalar(message, field, index), value);
    return;
  }
  const auto* reflection = message.GetReflection();
  fill_tree(index < 0 ? reflection->GetMessage(message, field) : reflection->GetRepeatedMessage(message, field, index),
            value->mutable_message());
}

void set_value(pb::Message* message, const FD* field, const Value& value) {
  if (field->cpp_type() != FD::CPPTYPE_MESSAGE) {
    put_scalar(message, field, scalar_of(field, value));
    return;
  }
  if (value.kind_case() != Value::kMessage) throw Refused(field->full_name() + ": a message is wanted");
  const auto* reflection = message->GetReflection();
  fill_message(value.message(),
               field->is_repeated() ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field));
}

}  // namespace

bool is_signed(const FD* field) {
  const bool wire = field->cpp_type() == FD::CPPTYPE_INT32 || field->cpp_type() == FD::CPPTYPE_INT64;
  const std::string type = fory_type(field);
  return type.empty() ? wire : type.find("uint") == std::string::npos;
}

Scalar get_scalar(const pb::Message& message, const FD* field, int index) {
  const auto* r = message.GetReflection();
  const bool one = index < 0;
  Scalar s;
  switch (field->cpp_type()) {
    case FD::CPPTYPE_INT32:
      s.signed_integer = one ? r->GetInt32(message, field) : r->GetRepeatedInt32(message, field, index);
      break;
    case FD::CPPTYPE_INT64:
      s.signed_integer = one ? r->GetInt64(message, field) : r->GetRepeatedInt64(message, field, index);
      break;
    case FD::CPPTYPE_UINT32:
      s.unsigned_integer = one ? r->GetUInt32(message, field) : r->GetRepeatedUInt32(message, field, index);
      s.signed_integer = static_cast<int32_t>(s.unsigned_integer);
      break;
    case FD::CPPTYPE_UINT64:
      s.unsigned_integer = one ? r->GetUInt64(message, field) : r->GetRepeatedUInt64(message, field, index);
      s.signed_integer = static_cast<int64_t>(s.unsigned_integer);
      break;
    case FD::CPPTYPE_BOOL:
      s.boolean = one ? r->GetBool(message, field) : r->GetRepeatedBool(message, field, index);
      break;
    case FD::CPPTYPE_FLOAT:
      s.float32 = one ? r->GetFloat(message, field) : r->GetRepeatedFloat(message, field, index);
      break;
    case FD::CPPTYPE_DOUBLE:
      s.float64 = one ? r->GetDouble(message, field) : r->GetRepeatedDouble(message, field, index);
      break;
    case FD::CPPTYPE_ENUM:
      s.signed_integer = one ? r->GetEnumValue(message, field) : r->GetRepeatedEnumValue(message, field, index);
      break;
    case FD::CPPTYPE_STRING:
      s.text = one ? r->GetString(message, field) : r->GetRepeatedString(message, field, index);
      break;
    case FD::CPPTYPE_MESSAGE:
      break;
  }
  return s;
}

void put_scalar(pb::Message* m, const FD* field, const Scalar& s) {
  const auto* r = m->GetReflection();
  const bool one = !field->is_repeated();
  switch (field->cpp_type()) {
    case FD::CPPTYPE_INT32: {
      const auto v = static_cast<int32_t>(s.signed_integer);
      one ? r->SetInt32(m, field, v) : r->AddInt32(m, field, v);
      break;
    }
    case FD::CPPTYPE_INT64:
      one ? r->SetInt64(m, field, s.signed_integer) : r->AddInt64(m, field, s.signed_integer);
      break;
    case FD::CPPTYPE_UINT32: {
      const auto v = static_cast<uint32_t>(s.unsigned_integer);
      one ? r->SetUInt32(m, field, v) : r->AddUInt32(m, field, v);
      break;
    }
    case FD::CPPTYPE_UINT64:
      one ? r->SetUInt64(m, field, s.unsigned_integer) : r->AddUInt64(m, field, s.unsigned_integer);
      break;
    case FD::CPPTYPE_BOOL:
      one ? r->SetBool(m, field, s.boolean) : r->AddBool(m, field, s.boolean);
      break;
    case FD::CPPTYPE_FLOAT:
      one ? r->SetFloat(m, field, s.float32) : r->AddFloat(m, field, s.float32);
      break;
    case FD::CPPTYPE_DOUBLE:
      one ? r->SetDouble(m, field, s.float64) : r->AddDouble(m, field, s.float64);
      break;
    case FD::CPPTYPE_ENUM: {
      const auto v = static_cast<int>(s.signed_integer);
      one ? r->SetEnumValue(m, field, v) : r->AddEnumValue(m, field, v);
      break;
    }
    case FD::CPPTYPE_STRING:
      one ? r->SetString(m, field, s.text) : r->AddString(m, field, s.text);
      break;
    case FD::CPPTYPE_MESSAGE:
      break;
  }
}

void fill_message(const Tree& tree, pb::Message* message) {
  const auto* descriptor = message->GetDescriptor();
  const auto* reflection = message->GetReflection();
  for (const auto& entry : tree.fields()) {
    const auto* field = descriptor->FindFieldByNumber(static_cast<int>(entry.number()));
    if (field == nullptr) throw Refused(descriptor->full_name() + " has no field " + std::to_string(entry.number()));
    if (field->is_map()) {
      const auto* entry_type = field->message_type();
      for (const auto& pair : entry.value().map().entries()) {
        auto* slot = reflection->AddMessage(message, field);
        set_value(slot, entry_type->map_key(), pair.key());
        set_value(slot, entry_type->map_value(), pair.value());
      }
    } else if (field->is_repeated()) {
      for (const auto& item : entry.value().list().values()) set_value(message, field, item);
    } else {
      set_value(message, field, entry.value());
    }
  }
  if (!tree.unknown().empty()) {
    pb::UnknownFieldSet unknown;
    if (!unknown.ParseFromString(tree.unknown())) throw Refused("unknown fields that can't be parsed");
    reflection->MutableUnknownFields(message)->MergeFrom(unknown);
  }
}

void fill_tree(const pb::Message& message, Tree* tree) {
  const auto* reflection = message.GetReflection();
  std::vector<const FD*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->is_extension()) continue;
    auto* entry = tree->add_fields();
    entry->set_number(static_cast<uint32_t>(field->number()));
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
    if (field->is_map()) {
      const auto* entry_type = field->message_type();
      for (int i = 0; i < count; ++i) {
        const auto& pair = reflection->GetRepeatedMessage(message, field, i);
        auto* slot = entry->mutable_value()->mutable_map()->add_entries();
        value_at(pair, entry_type->map_key(), -1, slot->mutable_key());
        value_at(pair, entry_type->map_value(), -1, slot->mutable_value());
      }
    } else if (field->is_repeated()) {
      auto* list = entry->mutable_value()->mutable_list();
      for (int i = 0; i < count; ++i) value_at(message, field, i, list->add_values());
    } else {
      value_at(message, field, -1, entry->mutable_value());
    }
  }
  const auto& unknown = reflection->GetUnknownFields(message);
  if (!unknown.empty()) unknown.SerializeToString(tree->mutable_unknown());
}

std::unique_ptr<Native> MessageCodec::native(const std::string& model, const Tree& tree) const {
  auto message = schema_.make(model);
  fill_message(tree, message.get());
  return std::make_unique<MessageNative>(std::move(message));
}

void MessageCodec::tree(const Native& native, Tree* tree) const { fill_tree(message_of(native), tree); }

}  // namespace peer
