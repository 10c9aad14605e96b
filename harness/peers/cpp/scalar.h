// Fields, and scalars of the neutral tree.
#pragma once

#include <google/protobuf/descriptor.h>

#include "codec.h"

namespace peer {

// A scalar of a field: the member that belongs to the field's C++ type is set.
struct Scalar {
  int64_t signed_integer = 0;
  uint64_t unsigned_integer = 0;
  bool boolean = false;
  float float32 = 0;
  double float64 = 0;
  std::string text;  // of bytes too
};

// Whether an integer field has signed values; `(fory.field).type` may say so of an unsigned type.
bool is_signed(const pb::FieldDescriptor* field);

// Whether a field's default is not told apart from its absence.
inline bool is_implicit(const pb::FieldDescriptor* field) { return !field->is_repeated() && !field->has_presence(); }

void fill_message(const interop::peer::Tree& tree, pb::Message* message);
void fill_tree(const pb::Message& message, interop::peer::Tree* tree);

// A field's value, or one of its elements where index is not negative.
Scalar get_scalar(const pb::Message& message, const pb::FieldDescriptor* field, int index);
// Sets a field's value, or appends one to a repeated field.
void put_scalar(pb::Message* message, const pb::FieldDescriptor* field, const Scalar& scalar);

}  // namespace peer
