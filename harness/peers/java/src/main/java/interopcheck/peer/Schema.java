package interopcheck.peer;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.Message;
import fory.Options;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The messages that are served: those built in, or those of a FileDescriptorSet. */
final class Schema {
  static final String TIMESTAMP = "google.protobuf.Timestamp";
  static final String DURATION = "google.protobuf.Duration";

  private final Map<String, Message> prototypes = new LinkedHashMap<>();

  private Schema() {}

  /** The schema of the generated code. */
  static Schema builtIn() throws ReflectiveOperationException {
    Schema schema = new Schema();
    for (Class<?> file : List.of(protobuf.Bench.class, suite.Suite.class)) {
      FileDescriptor descriptor = (FileDescriptor) file.getMethod("getDescriptor").invoke(null);
      Map<String, Message> found = new HashMap<>();
      for (Class<?> type : file.getDeclaredClasses()) {
        if (Message.class.isAssignableFrom(type)) {
          Message prototype = (Message) type.getMethod("getDefaultInstance").invoke(null);
          found.put(prototype.getDescriptorForType().getFullName(), prototype);
        }
      }
      for (Descriptor message : descriptor.getMessageTypes()) {
        schema.prototypes.put(message.getFullName(), found.get(message.getFullName()));
      }
    }
    return schema;
  }

  /** The schema of a serialized FileDescriptorSet. */
  static Schema of(byte[] fileDescriptorSet) throws Exception {
    ExtensionRegistry extensions = ExtensionRegistry.newInstance();
    Options.registerAllExtensions(extensions);
    Schema schema = new Schema();
    Map<String, FileDescriptor> built = new HashMap<>();
    for (FileDescriptorProto file : FileDescriptorSet.parseFrom(fileDescriptorSet, extensions).getFileList()) {
      FileDescriptor[] dependencies =
          file.getDependencyList().stream().map(built::get).toArray(FileDescriptor[]::new);
      FileDescriptor descriptor = FileDescriptor.buildFrom(file, dependencies);
      built.put(file.getName(), descriptor);
      if (!file.getPackage().equals("google.protobuf") && !file.getPackage().equals("fory")) {
        descriptor.getMessageTypes().forEach(schema::add);
      }
    }
    return schema;
  }

  private void add(Descriptor message) {
    if (!message.getOptions().getMapEntry()) {
      prototypes.put(message.getFullName(), DynamicMessage.getDefaultInstance(message));
      message.getNestedTypes().forEach(this::add);
    }
  }

  List<String> models() {
    return new ArrayList<>(prototypes.keySet());
  }

  Message prototype(String model) {
    return prototypes.get(model);
  }

  Descriptor descriptor(String model) {
    return prototypes.get(model).getDescriptorForType();
  }

  static Options.ForyFieldOptions fory(FieldDescriptor field) {
    return field.getOptions().getExtension(Options.field);
  }

  /** Whether an integer field has signed values; (fory.field).type may say so of an unsigned type. */
  static boolean isSigned(FieldDescriptor field) {
    String type = fory(field).getType();
    if (!type.isEmpty()) {
      return !type.contains("uint");
    }
    return switch (field.getType()) {
      case UINT32, FIXED32, UINT64, FIXED64 -> false;
      default -> true;
    };
  }

  static boolean isTime(FieldDescriptor field) {
    if (field.getJavaType() != JavaType.MESSAGE) {
      return false;
    }
    String name = field.getMessageType().getFullName();
    return name.equals(TIMESTAMP) || name.equals(DURATION);
  }
}
