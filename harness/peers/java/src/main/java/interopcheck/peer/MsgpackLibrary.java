package interopcheck.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.io.IOException;
import java.util.List;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;

/**
 * msgpack-core, through its packer and unpacker, which ask for each value by its type. Values are
 * protobuf messages, walked by reflection; that is no measure of the library, so it is not
 * benchmarked.
 */
final class MsgpackLibrary extends MessageCodec {
  private MsgpackLibrary(Schema schema) {
    super(schema);
  }

  static List<Implementation> implementations(Schema schema) {
    String version = Implementation.versionOf(MessagePack.class);
    return List.of(new Implementation("msgpack-core", version, List.of(new MsgpackLibrary(schema))));
  }

  @Override
  public String format() {
    return "msgpack";
  }

  @Override
  public String writer() {
    return "java";
  }

  @Override
  public boolean bench() {
    return false;
  }

  @Override
  public byte[] encode(String model, Object object) throws IOException {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      pack(packer, (Message) object);
      return packer.toByteArray();
    }
  }

  private static void pack(MessageBufferPacker packer, Message message) throws IOException {
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    packer.packMapHeader(fields.size());
    for (FieldDescriptor field : fields) {
      packer.packString(field.getName());
      if (field.isMapField()) {
        packer.packMapHeader(message.getRepeatedFieldCount(field));
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        for (Object entry : (List<?>) message.getField(field)) {
          packItem(packer, key, ((Message) entry).getField(key));
          packItem(packer, value, ((Message) entry).getField(value));
        }
      } else if (field.isRepeated()) {
        packer.packArrayHeader(message.getRepeatedFieldCount(field));
        for (Object item : (List<?>) message.getField(field)) {
          packItem(packer, field, item);
        }
      } else if (field.hasPresence() && !message.hasField(field)) {
        packer.packNil();
      } else {
        packItem(packer, field, message.getField(field));
      }
    }
  }

  private static void packItem(MessageBufferPacker packer, FieldDescriptor field, Object item)
      throws IOException {
    switch (field.getJavaType()) {
      case INT -> {
        int number = (Integer) item;
        if (Schema.isSigned(field)) {
          packer.packInt(number);
        } else {
          packer.packLong(Integer.toUnsignedLong(number));
        }
      }
      case LONG -> {
        long number = (Long) item;
        if (Schema.isSigned(field) || number >= 0) {
          packer.packLong(number);
        } else {
          packer.packBigInteger(new java.math.BigInteger(Long.toUnsignedString(number)));
        }
      }
      case BOOLEAN -> packer.packBoolean((Boolean) item);
      case FLOAT -> packer.packFloat((Float) item);
      case DOUBLE -> packer.packDouble((Double) item);
      case STRING -> packer.packString((String) item);
      case BYTE_STRING -> {
        byte[] bytes = ((ByteString) item).toByteArray();
        packer.packBinaryHeader(bytes.length).writePayload(bytes);
      }
      case ENUM -> packer.packInt(((EnumValueDescriptor) item).getNumber());
      case MESSAGE -> pack(packer, (Message) item);
    }
  }

  @Override
  public Object decode(String model, byte[] data) throws IOException {
    Message.Builder builder = schema.prototype(model).newBuilderForType();
    try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(data)) {
      unpack(unpacker, builder);
      if (unpacker.hasNext()) {
        throw new Refused("bytes after the object");
      }
    }
    return builder.build();
  }

  private static void unpack(MessageUnpacker unpacker, Message.Builder builder) throws IOException {
    int count = unpacker.unpackMapHeader();
    for (int i = 0; i < count; i++) {
      String name = unpacker.unpackString();
      FieldDescriptor field = builder.getDescriptorForType().findFieldByName(name);
      if (field == null) {
        unpacker.skipValue();
        continue;
      }
      builder.clearField(field); // the last of several counts
      if (unpacker.tryUnpackNil()) {
        continue;
      }
      if (field.isMapField()) {
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        int entries = unpacker.unpackMapHeader();
        for (int k = 0; k < entries; k++) {
          Message.Builder entry = builder.newBuilderForField(field);
          entry.setField(key, unpackItem(unpacker, entry, key));
          entry.setField(value, unpackItem(unpacker, entry, value));
          builder.addRepeatedField(field, entry.build());
        }
      } else if (field.isRepeated()) {
        int items = unpacker.unpackArrayHeader();
        for (int k = 0; k < items; k++) {
          builder.addRepeatedField(field, unpackItem(unpacker, builder, field));
        }
      } else {
        builder.setField(field, unpackItem(unpacker, builder, field));
      }
    }
  }

  private static Object unpackItem(MessageUnpacker unpacker, Message.Builder parent, FieldDescriptor field)
      throws IOException {
    boolean signed = field.getJavaType() != JavaType.INT && field.getJavaType() != JavaType.LONG
        || Schema.isSigned(field);
    return switch (field.getJavaType()) {
      case INT -> signed ? unpacker.unpackInt() : unsignedInt(field, unpacker.unpackLong());
      case LONG -> signed ? unpacker.unpackLong() : unsignedLong(field, unpacker.unpackBigInteger());
      case BOOLEAN -> unpacker.unpackBoolean();
      case FLOAT -> unpacker.unpackFloat();
      case DOUBLE -> unpacker.unpackDouble();
      case STRING -> unpacker.unpackString();
      case BYTE_STRING -> ByteString.copyFrom(unpacker.readPayload(unpacker.unpackBinaryHeader()));
      case ENUM -> Trees.enumValue(field.getEnumType(), unpacker.unpackInt());
      case MESSAGE -> {
        Message.Builder builder = parent.newBuilderForField(field);
        unpack(unpacker, builder);
        yield builder.build();
      }
    };
  }

  private static Object unsignedInt(FieldDescriptor field, long number) {
    if (number >>> 32 != 0) {
      throw new Refused(field.getFullName() + ": " + number + " does not fit 32 bits");
    }
    return (int) number;
  }

  private static Object unsignedLong(FieldDescriptor field, java.math.BigInteger number) {
    if (number.signum() < 0) {
      throw new Refused(field.getFullName() + ": " + number + " is negative");
    }
    return number.longValue();
  }
}
