package interopcheck.peer;

import com.google.flatbuffers.FlatBufferBuilder;
import com.google.flatbuffers.Table;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * flatbuffers-java, through its FlatBufferBuilder and Table. A table a message: slots in declaration
 * order, enums as byte, strings and vectors of implicit presence always written, a map as a vector of
 * its entry tables. Children are made in schema order, but for vectors of scalars, which come last.
 * Values are protobuf messages, walked by reflection; that is no measure of the library, so it is not
 * benchmarked.
 */
final class FlatbuffersLibrary extends MessageCodec {
  private FlatbuffersLibrary(Schema schema) {
    super(schema);
  }

  static List<Implementation> implementations(Schema schema) {
    String version = Implementation.versionOf(Table.class);
    return List.of(new Implementation("flatbuffers-java", version, List.of(new FlatbuffersLibrary(schema))));
  }

  @Override
  public String format() {
    return "flatbuffers";
  }

  @Override
  public String writer() {
    return "java";
  }

  @Override
  public boolean bench() {
    return false;
  }

  /** The width of a scalar, 0 for what is reached through an offset. */
  private static int scalarWidth(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case BOOLEAN, ENUM -> 1;
      case INT, FLOAT -> 4;
      case LONG, DOUBLE -> 8;
      default -> 0;
    };
  }

  private static boolean isOffset(FieldDescriptor field) {
    return field.isRepeated() || scalarWidth(field) == 0;
  }

  @Override
  public byte[] encode(String model, Object object) {
    FlatBufferBuilder builder = new FlatBufferBuilder(1024);
    builder.finish(writeTable(builder, (Message) object));
    return builder.sizedByteArray();
  }

  private static int writeTable(FlatBufferBuilder builder, Message message) {
    List<FieldDescriptor> fields = message.getDescriptorForType().getFields();
    int[] children = new int[fields.size()];
    for (boolean scalars : new boolean[] {false, true}) {
      for (int i = 0; i < fields.size(); i++) {
        FieldDescriptor field = fields.get(i);
        boolean absent = !field.isRepeated() && field.hasPresence() && !message.hasField(field);
        if (isOffset(field) && !absent && scalars == (scalarWidth(field) != 0)) {
          children[i] = field.isRepeated()
              ? writeVector(builder, field, (List<?>) message.getField(field))
              : writeChild(builder, field, message.getField(field));
        }
      }
    }
    builder.startTable(fields.size());
    // As flatc's create functions do: wide slots first, and the last declared of a width first.
    for (int width : new int[] {8, 4, 2, 1}) {
      for (int i = fields.size() - 1; i >= 0; i--) {
        FieldDescriptor field = fields.get(i);
        if ((isOffset(field) ? 4 : scalarWidth(field)) != width) {
          continue;
        }
        if (isOffset(field)) {
          builder.addOffset(i, children[i], 0);
        } else if (!field.hasPresence()) {
          addField(builder, i, field, message.getField(field));
        } else if (message.hasField(field)) {
          addNumber(builder, field, message.getField(field));
          builder.slot(i);
        }
      }
    }
    return builder.endTable();
  }

  private static int writeChild(FlatBufferBuilder builder, FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case MESSAGE -> writeTable(builder, (Message) value);
      case STRING -> builder.createString((String) value);
      default -> builder.createByteVector(((ByteString) value).toByteArray());
    };
  }

  private static int writeVector(FlatBufferBuilder builder, FieldDescriptor field, List<?> values) {
    int width = scalarWidth(field);
    if (width == 0) {
      int[] offsets = values.stream().mapToInt(value -> writeChild(builder, field, value)).toArray();
      return builder.createVectorOfTables(offsets);
    }
    builder.startVector(width, values.size(), width);
    for (int i = values.size() - 1; i >= 0; i--) {
      addNumber(builder, field, values.get(i));
    }
    return builder.endVector();
  }

  private static void addField(FlatBufferBuilder builder, int slot, FieldDescriptor field, Object value) {
    switch (field.getJavaType()) {
      case BOOLEAN -> builder.addBoolean(slot, (Boolean) value, false);
      case ENUM -> builder.addByte(slot, (byte) ((EnumValueDescriptor) value).getNumber(), 0);
      case INT -> builder.addInt(slot, (Integer) value, 0);
      case LONG -> builder.addLong(slot, (Long) value, 0);
      case FLOAT -> builder.addFloat(slot, (Float) value, 0);
      default -> builder.addDouble(slot, (Double) value, 0);
    }
  }

  private static void addNumber(FlatBufferBuilder builder, FieldDescriptor field, Object value) {
    switch (field.getJavaType()) {
      case BOOLEAN -> builder.addBoolean((Boolean) value);
      case ENUM -> builder.addByte((byte) ((EnumValueDescriptor) value).getNumber());
      case INT -> builder.addInt((Integer) value);
      case LONG -> builder.addLong((Long) value);
      case FLOAT -> builder.addFloat((Float) value);
      default -> builder.addDouble((Double) value);
    }
  }

  @Override
  public Object decode(String model, byte[] data) {
    if (data.length < 8) {
      throw new Refused("shorter than a root offset and a table");
    }
    ByteBuffer buffer = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    Message.Builder builder = schema.prototype(model).newBuilderForType();
    new AnyTable(buffer, buffer.getInt(0)).read(builder);
    return builder.build();
  }

  /** A table of any type: the library gives its readers to subclasses, as generated code has them. */
  private static final class AnyTable extends Table {
    AnyTable(ByteBuffer buffer, int position) {
      __reset(position, buffer);
    }

    void read(Message.Builder builder) {
      List<FieldDescriptor> fields = builder.getDescriptorForType().getFields();
      for (int i = 0; i < fields.size(); i++) {
        FieldDescriptor field = fields.get(i);
        int offset = __offset(4 + 2 * i);
        if (offset == 0) {
          continue;
        }
        if (field.isRepeated()) {
          readVector(builder, field, offset);
        } else {
          builder.setField(field, readItem(builder, field, offset + bb_pos));
        }
      }
    }

    private void readVector(Message.Builder builder, FieldDescriptor field, int offset) {
      int length = __vector_len(offset);
      int start = __vector(offset);
      int width = Math.max(scalarWidth(field), scalarWidth(field) == 0 ? 4 : 1);
      // The library checks nothing; a length that can't be is caught before a long loop.
      if (length < 0 || start + (long) length * width > bb.limit()) {
        throw new Refused(field.getName() + ": a vector of " + length + " elements passes the end of the buffer");
      }
      for (int i = 0; i < length; i++) {
        builder.addRepeatedField(field, readItem(builder, field, start + i * width));
      }
    }

    private Object readItem(Message.Builder parent, FieldDescriptor field, int at) {
      return switch (field.getJavaType()) {
        case BOOLEAN -> bb.get(at) != 0;
        case ENUM -> Trees.enumValue(field.getEnumType(), bb.get(at));
        case INT -> bb.getInt(at);
        case LONG -> bb.getLong(at);
        case FLOAT -> bb.getFloat(at);
        case DOUBLE -> bb.getDouble(at);
        case STRING -> __string(at);
        case BYTE_STRING -> {
          int start = at + bb.getInt(at);
          ByteBuffer bytes = bb.duplicate();
          bytes.position(start + 4).limit(start + 4 + bb.getInt(start));
          yield ByteString.copyFrom(bytes);
        }
        case MESSAGE -> {
          Message.Builder builder = parent.newBuilderForField(field);
          new AnyTable(bb, __indirect(at)).read(builder);
          yield builder.build();
        }
      };
    }
  }
}
