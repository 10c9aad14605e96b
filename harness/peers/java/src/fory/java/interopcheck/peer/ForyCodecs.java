package interopcheck.peer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import interop.peer.Peer.Tree;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.fory.Fory;

/** Apache Fory for Java, in compatible and in consistent mode. Values are beans of {@link ForyBeans}. */
final class ForyCodecs implements Codec {
  // A run sends many a mutated type definition, and what a reader says of the next input must not
  // depend on it.
  private static final int NO_HISTORY_LIMIT = 1 << 30;

  private final Schema schema;
  private final ForyBeans beans;
  private final boolean compatible;
  private final Fory fory;

  private ForyCodecs(Schema schema, ForyBeans beans, boolean compatible) throws ClassNotFoundException {
    this.schema = schema;
    this.beans = beans;
    this.compatible = compatible;
    this.fory =
        Fory.builder()
            .withXlang(true)
            .withCompatible(compatible)
            .withRefTracking(false)
            .requireClassRegistration(true)
            .withClassLoader(beans)
            .withMaxSchemaVersionsPerType(NO_HISTORY_LIMIT)
            .withMaxAverageSchemaVersionsPerType(NO_HISTORY_LIMIT)
            .build();
    for (Map.Entry<String, Integer> entry : beans.ids().entrySet()) {
      fory.register(beans.type(entry.getKey()), entry.getValue());
    }
  }

  static List<Implementation> implementations(Schema schema) throws ClassNotFoundException {
    ForyBeans beans = new ForyBeans(schema);
    List<Codec> codecs = List.of(new ForyCodecs(schema, beans, true), new ForyCodecs(schema, beans, false));
    return List.of(new Implementation("fory-java", Implementation.versionOf(Fory.class), codecs));
  }

  @Override
  public String format() {
    return compatible ? "fory" : "fory-consistent";
  }

  @Override
  public String writer() {
    return "java";
  }

  @Override
  public boolean bench() {
    return true;
  }

  @Override
  public List<String> models() {
    return beans.models();
  }

  @Override
  public byte[] encode(String model, Object object) {
    return fory.serialize(object);
  }

  @Override
  public Object decode(String model, byte[] data) throws ClassNotFoundException {
    Object object = fory.deserialize(data);
    Class<?> type = beans.type(model);
    if (!type.isInstance(object)) {
      throw new Refused((object == null ? "null" : object.getClass().getName()) + " where " + model + " is wanted");
    }
    return object;
  }

  @Override
  public Object nativeOf(String model, Tree tree) throws ReflectiveOperationException {
    return beanOf(Trees.messageOf(schema.prototype(model), tree));
  }

  @Override
  public Tree treeOf(String model, Object object) throws ReflectiveOperationException {
    return Trees.treeOf(messageOf(schema.prototype(model).newBuilderForType(), object));
  }

  // -- message to bean ---------------------------------------------------------------------------

  private Object beanOf(Message message) throws ReflectiveOperationException {
    Class<?> type = beans.type(message.getDescriptorForType().getFullName());
    Object bean = type.getConstructor().newInstance();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      Field slot = type.getField("f" + field.getNumber());
      if (field.isMapField()) {
        slot.set(bean, mapOf(field, (List<?>) message.getField(field)));
      } else if (field.isRepeated()) {
        slot.set(bean, sequenceOf(field, slot.getType(), (List<?>) message.getField(field)));
      } else if (!field.hasPresence() || message.hasField(field)) {
        slot.set(bean, objectOf(field, message.getField(field)));
      } else if (!ForyBeans.isNullable(field)) {
        if (!Schema.isTime(field)) {
          throw new Refused(field.getFullName() + ": absent, and not nullable in Fory");
        }
        slot.set(bean, slot.getType() == Instant.class ? Instant.EPOCH : Duration.ZERO);
      }
    }
    return bean;
  }

  private Map<Object, Object> mapOf(FieldDescriptor field, List<?> entries) throws ReflectiveOperationException {
    FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
    FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
    Map<Object, Object> map = new LinkedHashMap<>();
    for (Object entry : entries) {
      Message pair = (Message) entry;
      map.put(objectOf(key, pair.getField(key)), objectOf(value, pair.getField(value)));
    }
    return map;
  }

  private Object sequenceOf(FieldDescriptor field, Class<?> type, List<?> values) throws ReflectiveOperationException {
    if (type.isArray()) {
      Object array = Array.newInstance(type.getComponentType(), values.size());
      for (int i = 0; i < values.size(); i++) {
        Array.set(array, i, values.get(i));
      }
      return array;
    }
    List<Object> list = new ArrayList<>(values.size());
    for (Object value : values) {
      list.add(objectOf(field, value));
    }
    return list;
  }

  private Object objectOf(FieldDescriptor field, Object value) throws ReflectiveOperationException {
    switch (field.getJavaType()) {
      case BYTE_STRING:
        return ((ByteString) value).toByteArray();
      case ENUM:
        return enumOf(field, ((EnumValueDescriptor) value).getNumber());
      case MESSAGE:
        Message message = (Message) value;
        if (!Schema.isTime(field)) {
          return beanOf(message);
        }
        long seconds = (Long) part(message, 1);
        int nanos = (Integer) part(message, 2);
        boolean timestamp = field.getMessageType().getFullName().equals(Schema.TIMESTAMP);
        return timestamp ? Instant.ofEpochSecond(seconds, nanos) : Duration.ofSeconds(seconds, nanos);
      default:
        return value;
    }
  }

  private Object enumOf(FieldDescriptor field, int number) throws ReflectiveOperationException {
    Class<?> type = beans.type(field.getEnumType().getFullName());
    for (Object constant : type.getEnumConstants()) {
      if ((Integer) type.getMethod("getId").invoke(constant) == number) {
        return constant;
      }
    }
    throw new Refused(field.getFullName() + ": the enum has no " + number);
  }

  private static Object part(Message message, int number) {
    return message.getField(message.getDescriptorForType().findFieldByNumber(number));
  }

  // -- bean to message ---------------------------------------------------------------------------

  private Message messageOf(Message.Builder builder, Object bean) throws ReflectiveOperationException {
    Class<?> type = beans.type(builder.getDescriptorForType().getFullName());
    if (!type.isInstance(bean)) {
      String found = bean == null ? "null" : bean.getClass().getName();
      throw new Refused(found + " where " + builder.getDescriptorForType().getFullName() + " is wanted");
    }
    for (FieldDescriptor field : builder.getDescriptorForType().getFields()) {
      Object value = type.getField("f" + field.getNumber()).get(bean);
      if (value == null) {
        continue;
      }
      if (field.isMapField()) {
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor item = field.getMessageType().findFieldByNumber(2);
        for (Map.Entry<?, ?> pair : ((Map<?, ?>) value).entrySet()) {
          Message.Builder entry = builder.newBuilderForField(field);
          entry.setField(key, valueOf(entry, key, pair.getKey()));
          entry.setField(item, valueOf(entry, item, pair.getValue()));
          builder.addRepeatedField(field, entry.build());
        }
      } else if (value.getClass().isArray() && field.isRepeated()) {
        for (int i = 0; i < Array.getLength(value); i++) {
          builder.addRepeatedField(field, Array.get(value, i));
        }
      } else if (field.isRepeated()) {
        for (Object item : (List<?>) value) {
          builder.addRepeatedField(field, valueOf(builder, field, item));
        }
      } else {
        builder.setField(field, valueOf(builder, field, value));
      }
    }
    return builder.build();
  }

  private Object valueOf(Message.Builder parent, FieldDescriptor field, Object value) throws ReflectiveOperationException {
    if (value == null) {
      throw new Refused(field.getFullName() + ": null in a list or map");
    }
    switch (field.getJavaType()) {
      case BYTE_STRING:
        return ByteString.copyFrom((byte[]) value);
      case ENUM:
        int number = (Integer) value.getClass().getMethod("getId").invoke(value);
        return Trees.enumValue(field.getEnumType(), number);
      case MESSAGE:
        Message.Builder builder = parent.newBuilderForField(field);
        if (value instanceof Instant instant) {
          return timeOf(builder, instant.getEpochSecond(), instant.getNano());
        }
        if (value instanceof Duration duration) {
          return timeOf(builder, duration.getSeconds(), duration.getNano());
        }
        return messageOf(builder, value);
      default:
        return value;
    }
  }

  private static Message timeOf(Message.Builder builder, long seconds, int nanos) {
    builder.setField(builder.getDescriptorForType().findFieldByNumber(1), seconds);
    builder.setField(builder.getDescriptorForType().findFieldByNumber(2), nanos);
    return builder.build();
  }
}
