package interopcheck.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import interop.peer.Peer.Entry;
import interop.peer.Peer.Field;
import interop.peer.Peer.List;
import interop.peer.Peer.Tree;
import interop.peer.Peer.Value;
import java.util.Collection;
import java.util.Map;

/** The neutral tree of the peer protocol and protobuf messages. */
final class Trees {
  private Trees() {}

  static Message messageOf(Message prototype, Tree tree) {
    Message.Builder builder = prototype.newBuilderForType();
    fill(builder, tree);
    return builder.build();
  }

  private static void fill(Message.Builder builder, Tree tree) {
    Descriptor type = builder.getDescriptorForType();
    for (Field entry : tree.getFieldsList()) {
      FieldDescriptor field = type.findFieldByNumber(entry.getNumber());
      if (field == null) {
        throw new Refused(type.getFullName() + " has no field " + entry.getNumber());
      }
      if (field.isMapField()) {
        Descriptor entryType = field.getMessageType();
        for (Entry pair : entry.getValue().getMap().getEntriesList()) {
          Message.Builder slot = builder.newBuilderForField(field);
          FieldDescriptor key = entryType.findFieldByNumber(1);
          FieldDescriptor value = entryType.findFieldByNumber(2);
          slot.setField(key, objectOf(slot, key, pair.getKey()));
          slot.setField(value, objectOf(slot, value, pair.getValue()));
          builder.addRepeatedField(field, slot.build());
        }
      } else if (field.isRepeated()) {
        for (Value item : entry.getValue().getList().getValuesList()) {
          builder.addRepeatedField(field, objectOf(builder, field, item));
        }
      } else {
        builder.setField(field, objectOf(builder, field, entry.getValue()));
      }
    }
    if (!tree.getUnknown().isEmpty()) {
      try {
        builder.setUnknownFields(UnknownFieldSet.parseFrom(tree.getUnknown()));
      } catch (InvalidProtocolBufferException error) {
        throw new Refused(error.getMessage());
      }
    }
  }

  private static Object objectOf(Message.Builder parent, FieldDescriptor field, Value value) {
    if (field.getJavaType() == JavaType.MESSAGE) {
      Message.Builder builder = parent.newBuilderForField(field);
      fill(builder, value.getMessage());
      return builder.build();
    }
    return switch (value.getKindCase()) {
      // Integers may come in either spelling, see PROTOCOL.md.
      case SIGNED -> integer(field, value.getSigned());
      case UNSIGNED -> integer(field, value.getUnsigned());
      case BOOLEAN -> wanted(field, JavaType.BOOLEAN, value.getBoolean());
      case FLOAT32_BITS -> wanted(field, JavaType.FLOAT, Float.intBitsToFloat(value.getFloat32Bits()));
      case FLOAT64_BITS -> wanted(field, JavaType.DOUBLE, Double.longBitsToDouble(value.getFloat64Bits()));
      case TEXT -> wanted(field, JavaType.STRING, value.getText());
      case DATA -> wanted(field, JavaType.BYTE_STRING, value.getData());
      case ENUMERATION -> wanted(field, JavaType.ENUM, enumOf(field, value.getEnumeration()));
      default -> throw wrong(field, value.getKindCase());
    };
  }

  private static Object wanted(FieldDescriptor field, JavaType type, Object object) {
    if (field.getJavaType() != type) {
      throw wrong(field, type);
    }
    return object;
  }

  private static Refused wrong(FieldDescriptor field, Object found) {
    return new Refused(field.getFullName() + ": " + found + " where " + field.getJavaType() + " is wanted");
  }

  private static EnumValueDescriptor enumOf(FieldDescriptor field, int number) {
    return field.getJavaType() == JavaType.ENUM
        ? field.getEnumType().findValueByNumberCreatingIfUnknown(number)
        : null;
  }

  private static Object integer(FieldDescriptor field, long bits) {
    if (field.getJavaType() == JavaType.LONG) {
      return bits;
    }
    if (field.getJavaType() != JavaType.INT) {
      throw wrong(field, "integer");
    }
    if (bits < Integer.MIN_VALUE || bits > 0xffff_ffffL) {
      throw new Refused(field.getFullName() + ": " + bits + " does not fit 32 bits");
    }
    return (int) bits;
  }

  static Tree treeOf(Message message) {
    Tree.Builder tree = Tree.newBuilder();
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      if (!field.isExtension()) {
        tree.addFields(Field.newBuilder().setNumber(field.getNumber()).setValue(valueOf(field, entry.getValue())));
      }
    }
    return tree.setUnknown(message.getUnknownFields().toByteString()).build();
  }

  private static Value valueOf(FieldDescriptor field, Object content) {
    if (field.isMapField()) {
      interop.peer.Peer.Map.Builder map = interop.peer.Peer.Map.newBuilder();
      for (Object item : (Collection<?>) content) {
        Message pair = (Message) item;
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        map.addEntries(
            Entry.newBuilder()
                .setKey(itemOf(key, pair.getField(key)))
                .setValue(itemOf(value, pair.getField(value))));
      }
      return Value.newBuilder().setMap(map).build();
    }
    if (field.isRepeated()) {
      List.Builder list = List.newBuilder();
      for (Object item : (Collection<?>) content) {
        list.addValues(itemOf(field, item));
      }
      return Value.newBuilder().setList(list).build();
    }
    return itemOf(field, content);
  }

  private static Value itemOf(FieldDescriptor field, Object item) {
    Value.Builder value = Value.newBuilder();
    boolean unsigned =
        switch (field.getType()) {
          case UINT32, FIXED32, UINT64, FIXED64 -> true;
          default -> false;
        };
    switch (field.getJavaType()) {
      case INT -> {
        if (unsigned) {
          value.setUnsigned(Integer.toUnsignedLong((Integer) item));
        } else {
          value.setSigned((Integer) item);
        }
      }
      case LONG -> {
        if (unsigned) {
          value.setUnsigned((Long) item);
        } else {
          value.setSigned((Long) item);
        }
      }
      case BOOLEAN -> value.setBoolean((Boolean) item);
      case FLOAT -> value.setFloat32Bits(Float.floatToRawIntBits((Float) item));
      case DOUBLE -> value.setFloat64Bits(Double.doubleToRawLongBits((Double) item));
      case STRING -> value.setText((String) item);
      case BYTE_STRING -> value.setData((ByteString) item);
      case ENUM -> value.setEnumeration(((EnumValueDescriptor) item).getNumber());
      case MESSAGE -> value.setMessage(treeOf((Message) item));
    }
    return value.build();
  }

  /** An enum's value by number, for libraries that give numbers. */
  static EnumValueDescriptor enumValue(EnumDescriptor type, int number) {
    return type.findValueByNumberCreatingIfUnknown(number);
  }
}
