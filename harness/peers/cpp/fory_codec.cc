// Apache Fory, where CMake finds its package. Values are structs that generate_structs writes.

#include "scalar.h"
#include "schema.h"

#ifdef WITH_FORY

#include <functional>
#include <type_traits>

#include "fory_models.h"

namespace peer {
namespace {

using FD = pb::FieldDescriptor;
using Timestamp = ::fory::serialization::Timestamp;
using Duration = ::fory::serialization::Duration;

// -- message to struct ---------------------------------------------------------------------------

struct Load {
  const pb::Message& message;

  template <typename T>
  void operator()(int number, T& slot) {
    field(message.GetDescriptor()->FindFieldByNumber(number), slot);
  }

  template <typename T>
  void field(const FD* f, T& slot) {
    if (f->cpp_type() == FD::CPPTYPE_MESSAGE && !message.GetReflection()->HasField(message, f)) {
      if constexpr (!std::is_same_v<T, Timestamp> && !std::is_same_v<T, Duration>) {
        throw Refused(f->full_name() + ": absent, and not nullable in Fory");
      }
      return;
    }
    item(f, -1, slot);
  }

  template <typename T>
  void field(const FD* f, std::optional<T>& slot) {
    if (message.GetReflection()->HasField(message, f)) item(f, -1, slot.emplace());
  }

  template <typename T>
  void field(const FD* f, std::vector<T>& slot) {
    const int count = f->is_repeated() ? message.GetReflection()->FieldSize(message, f) : 0;
    for (int i = 0; i < count; ++i) {
      T element{};
      item(f, i, element);
      slot.push_back(std::move(element));
    }
    if constexpr (std::is_same_v<T, uint8_t>) {  // bytes
      const std::string text = get_scalar(message, f, -1).text;
      slot.assign(text.begin(), text.end());
    }
  }

  template <typename K, typename V>
  void field(const FD* f, std::map<K, V>& slot) {
    for (int i = 0; i < message.GetReflection()->FieldSize(message, f); ++i) {
      Load entry{message.GetReflection()->GetRepeatedMessage(message, f, i)};
      K key{};
      V value{};
      entry.item(f->message_type()->map_key(), -1, key);
      entry.item(f->message_type()->map_value(), -1, value);
      slot[std::move(key)] = std::move(value);
    }
  }

  template <typename T>
  void item(const FD* f, int index, T& slot) {
    if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
      const auto* r = message.GetReflection();
      const auto& child = index < 0 ? r->GetMessage(message, f) : r->GetRepeatedMessage(message, f, index);
      if constexpr (std::is_same_v<T, Timestamp> || std::is_same_v<T, Duration>) {
        const auto* type = child.GetDescriptor();
        slot = T(std::chrono::seconds(get_scalar(child, type->FindFieldByNumber(1), -1).signed_integer) +
                 std::chrono::nanoseconds(get_scalar(child, type->FindFieldByNumber(2), -1).signed_integer));
      } else {
        Load load{child};
        slot.visit(load);
      }
    } else {
      const Scalar scalar = get_scalar(message, f, index);
      if constexpr (std::is_same_v<T, std::string>) {
        slot = scalar.text;
      } else if constexpr (std::is_same_v<T, bool>) {
        slot = scalar.boolean;
      } else if constexpr (std::is_same_v<T, float>) {
        slot = scalar.float32;
      } else if constexpr (std::is_same_v<T, double>) {
        slot = scalar.float64;
      } else if constexpr (std::is_unsigned_v<T>) {
        slot = static_cast<T>(scalar.unsigned_integer);
      } else {
        slot = static_cast<T>(scalar.signed_integer);
      }
    }
  }
};

// -- struct to message ---------------------------------------------------------------------------

struct Store {
  pb::Message* message;

  template <typename T>
  void operator()(int number, T& slot) {
    field(message->GetDescriptor()->FindFieldByNumber(number), slot);
  }

  template <typename T>
  void field(const FD* f, T& slot) {
    item(f, slot);
  }

  template <typename T>
  void field(const FD* f, std::optional<T>& slot) {
    if (slot) item(f, *slot);
  }

  template <typename T>
  void field(const FD* f, std::vector<T>& slot) {
    if constexpr (std::is_same_v<T, uint8_t>) {  // bytes
      Scalar scalar;
      scalar.text.assign(slot.begin(), slot.end());
      put_scalar(message, f, scalar);
    } else {
      for (auto&& element : slot) {
        T copy = element;  // of the proxy that std::vector<bool> gives
        item(f, copy);
      }
    }
  }

  template <typename K, typename V>
  void field(const FD* f, std::map<K, V>& slot) {
    for (auto& [key, value] : slot) {
      Store entry{message->GetReflection()->AddMessage(message, f)};
      K copy = key;
      entry.item(f->message_type()->map_key(), copy);
      entry.item(f->message_type()->map_value(), value);
    }
  }

  template <typename T>
  void item(const FD* f, T& slot) {
    if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
      const auto* r = message->GetReflection();
      pb::Message* child = f->is_repeated() ? r->AddMessage(message, f) : r->MutableMessage(message, f);
      if constexpr (std::is_same_v<T, Timestamp> || std::is_same_v<T, Duration>) {
        std::chrono::nanoseconds nanos;
        if constexpr (std::is_same_v<T, Timestamp>) {
          nanos = slot.time_since_epoch();
        } else {
          nanos = slot.to_chrono();
        }
        const auto seconds = std::chrono::floor<std::chrono::seconds>(nanos);
        Scalar part;
        part.signed_integer = seconds.count();
        put_scalar(child, child->GetDescriptor()->FindFieldByNumber(1), part);
        part.signed_integer = (nanos - seconds).count();
        put_scalar(child, child->GetDescriptor()->FindFieldByNumber(2), part);
      } else {
        Store store{child};
        slot.visit(store);
      }
    } else {
      Scalar scalar;
      if constexpr (std::is_same_v<T, std::string>) {
        scalar.text = slot;
      } else if constexpr (std::is_same_v<T, bool>) {
        scalar.boolean = slot;
      } else if constexpr (std::is_same_v<T, float>) {
        scalar.float32 = slot;
      } else if constexpr (std::is_same_v<T, double>) {
        scalar.float64 = slot;
      } else {
        scalar.signed_integer = static_cast<int64_t>(slot);
        scalar.unsigned_integer = static_cast<uint64_t>(slot);
      }
      put_scalar(message, f, scalar);
    }
  }
};

// -- the codec -----------------------------------------------------------------------------------

template <typename T>
struct Struct : Native {
  T value{};
};

// The functions that know a model's type.
struct Model {
  std::function<std::unique_ptr<Native>(const pb::Message&)> load;
  std::function<std::vector<uint8_t>(const Native&)> encode;
  std::function<std::unique_ptr<Native>(const std::string&)> decode;
  std::function<void(const Native&, pb::Message*)> store;
};

class ForyCodec : public Codec {
 public:
  ForyCodec(const Schema& schema, bool compatible, bool checked, std::string writer)
      : schema_(schema),
        compatible_(compatible),
        writer_(std::move(writer)),
        // A run sends many a mutated type definition, and what a reader says of the next input must
        // not depend on it.
        fory_(::fory::serialization::Fory::builder()
                  .xlang(true)
                  .compatible(compatible)
                  .check_struct_version(checked)
                  .track_ref(false)
                  .max_schema_versions_per_type(1u << 30)
                  .max_average_schema_versions_per_type(1u << 30)
                  .build()) {
#define REGISTER_ENUM(type, id) require(fory_.register_enum<type>(id));
    FORY_ENUMS(REGISTER_ENUM)
#undef REGISTER_ENUM
#define REGISTER_MODEL(type, name, id) \
  require(fory_.register_struct<type>(id)); \
  models_[name] = model<type>();
    FORY_MODELS(REGISTER_MODEL)
#undef REGISTER_MODEL
  }

  std::string format() const override { return compatible_ ? "fory" : "fory-consistent"; }
  std::string writer() const override { return writer_; }
  bool bench() const override { return true; }
  bool schemas() const override { return false; }

  std::vector<std::string> models() const override {
    std::vector<std::string> names;
    for (const auto& [name, model] : models_) names.push_back(name);
    return names;
  }

  std::unique_ptr<Native> native(const std::string& model, const interop::peer::Tree& tree) const override {
    auto message = schema_.make(model);
    fill_message(tree, message.get());
    auto native = models_.at(model).load(*message);
    native->model = model;
    return native;
  }

  void tree(const Native& native, interop::peer::Tree* tree) const override {
    const std::string& model = native.model;
    auto message = schema_.make(model);
    models_.at(model).store(native, message.get());
    fill_tree(*message, tree);
  }

  void encode(const Native& native, std::string* out) const override {
    const auto bytes = models_.at(native.model).encode(native);
    out->assign(bytes.begin(), bytes.end());
  }

  std::unique_ptr<Native> decode(const std::string& model, const std::string& data) const override {
    auto native = models_.at(model).decode(data);
    native->model = model;
    return native;
  }

 private:
  template <typename R>
  static void require(const R& result) {
    if (!result.ok()) throw Refused(result.error().to_string());
  }

  template <typename T>
  Model model() {
    return Model{
        [](const pb::Message& message) {
          auto native = std::make_unique<Struct<T>>();
          Load load{message};
          native->value.visit(load);
          return native;
        },
        [this](const Native& native) {
          auto result = fory_.serialize(static_cast<const Struct<T>&>(native).value);
          require(result);
          return std::move(result).value();
        },
        [this](const std::string& data) {
          auto result = fory_.template deserialize<T>(reinterpret_cast<const uint8_t*>(data.data()), data.size());
          require(result);
          auto native = std::make_unique<Struct<T>>();
          native->value = std::move(result).value();
          return native;
        },
        [](const Native& native, pb::Message* message) {
          T copy = static_cast<const Struct<T>&>(native).value;
          Store store{message};
          copy.visit(store);
        }};
  }

  const Schema& schema_;
  bool compatible_;
  std::string writer_;
  mutable ::fory::serialization::Fory fory_;
  std::map<std::string, Model> models_;
};

}  // namespace

std::vector<Implementation> fory_implementations(const Schema& schema) {
  Implementation checked{"fory-cpp", FORY_VERSION, "", {}};
  Implementation unchecked{"fory-cpp-default", FORY_VERSION, "", {}};
  std::vector<Implementation> all;
  if (schema.is_built_in()) {
    checked.codecs.push_back(std::make_unique<ForyCodec>(schema, true, true, "cpp"));
    checked.codecs.push_back(std::make_unique<ForyCodec>(schema, false, true, "cpp"));
    unchecked.codecs.push_back(std::make_unique<ForyCodec>(schema, false, false, "cpp-default"));
  }
  all.push_back(std::move(checked));
  all.push_back(std::move(unchecked));
  return all;
}

}  // namespace peer

#else

namespace peer {

std::vector<Implementation> fory_implementations(const Schema&) {
  std::vector<Implementation> all;
  all.push_back(Implementation{"fory-cpp", "", "not installed: CMake package Fory", {}});
  return all;
}

}  // namespace peer

#endif
