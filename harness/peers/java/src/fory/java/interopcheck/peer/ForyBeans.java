package interopcheck.peer;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import fory.Options;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The classes of a schema for Fory: annotated beans, written as Java source from the descriptors and
 * compiled in memory, so that a schema that a request brings is served as the built-in ones are.
 */
final class ForyBeans extends ClassLoader {
  private static final String PACKAGE = "interopcheck.beans.";

  private final Map<String, String> sources = new LinkedHashMap<>();
  private final Map<String, byte[]> compiled = new HashMap<>();
  private final Map<String, Integer> ids = new LinkedHashMap<>();
  private final List<String> models = new ArrayList<>();

  ForyBeans(Schema schema) {
    super(ForyBeans.class.getClassLoader());
    for (String model : schema.models()) {
      if (serves(schema.descriptor(model), new HashSet<>())) {
        models.add(model);
        add(schema.descriptor(model));
      }
    }
    compile();
  }

  List<String> models() {
    return models;
  }

  /** The registration numbers of all classes, by class name. */
  Map<String, Integer> ids() {
    return ids;
  }

  Class<?> type(String fullName) throws ClassNotFoundException {
    return loadClass(PACKAGE + nameOf(fullName));
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] code = compiled.get(name);
    if (code == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, code, 0, code.length);
  }

  private static String nameOf(String fullName) {
    return fullName.replace('.', '_');
  }

  /** Every type that can be reached is registered by number and has a Java type without a sign bit. */
  private static boolean serves(Descriptor message, Set<String> seen) {
    if (!message.getOptions().hasExtension(Options.message)
        || !message.getOptions().getExtension(Options.message).hasId()) {
      return false;
    }
    if (!seen.add(message.getFullName())) {
      return true;
    }
    for (FieldDescriptor field : message.getFields()) {
      FieldDescriptor item = field.isMapField() ? field.getMessageType().findFieldByNumber(2) : field;
      boolean integer = item.getJavaType() == JavaType.INT || item.getJavaType() == JavaType.LONG;
      if (integer && !Schema.isSigned(item)) {
        return false;
      }
      if (item.getJavaType() == JavaType.MESSAGE && !Schema.isTime(item) && !serves(item.getMessageType(), seen)) {
        return false;
      }
    }
    return true;
  }

  private void add(Descriptor message) {
    String name = nameOf(message.getFullName());
    if (ids.containsKey(message.getFullName())) {
      return;
    }
    ids.put(message.getFullName(), message.getOptions().getExtension(Options.message).getId());
    StringBuilder source = new StringBuilder("package interopcheck.beans;\n");
    source.append("import org.apache.fory.annotation.*;\nimport org.apache.fory.config.*;\n");
    source.append("@ForyStruct\npublic class ").append(name).append(" {\n");
    for (FieldDescriptor field : message.getFields()) {
      source.append("  @ForyField(id = ").append(field.getNumber()).append(") ");
      source.append("public ").append(fieldType(field)).append(" f").append(field.getNumber()).append(";\n");
    }
    sources.put(name, source.append("}\n").toString());
  }

  static boolean isNullable(FieldDescriptor field) {
    Options.ForyFieldOptions fory = Schema.fory(field);
    return fory.hasNullable() ? fory.getNullable() : field.hasPresence() && !Schema.isTime(field);
  }

  static boolean isArray(FieldDescriptor field) {
    return Schema.fory(field).getType().startsWith("array<");
  }

  private String fieldType(FieldDescriptor field) {
    if (field.isMapField()) {
      String key = itemType(field.getMessageType().findFieldByNumber(1), true);
      return "java.util.Map<" + key + ", " + itemType(field.getMessageType().findFieldByNumber(2), true) + ">";
    }
    if (isArray(field)) {
      return itemType(field, false) + "[]";
    }
    if (field.isRepeated()) {
      return "java.util.List<" + itemType(field, true) + ">";
    }
    boolean nullable = isNullable(field);
    return (nullable ? "@Nullable " : encoding(field)) + itemType(field, nullable);
  }

  private static String encoding(FieldDescriptor field) {
    String[] words = Schema.fory(field).getType().split(" ");
    if (words.length < 2) {
      return "";
    }
    String bits = field.getJavaType() == JavaType.INT ? "32" : "64";
    return "@Int" + bits + "Type(encoding = Int" + bits + "Encoding." + words[0].toUpperCase(Locale.ROOT) + ") ";
  }

  private String itemType(FieldDescriptor field, boolean boxed) {
    return switch (field.getJavaType()) {
      case INT -> boxed ? "Integer" : "int";
      case LONG -> boxed ? "Long" : "long";
      case FLOAT -> boxed ? "Float" : "float";
      case DOUBLE -> boxed ? "Double" : "double";
      case BOOLEAN -> boxed ? "Boolean" : "boolean";
      case STRING -> "String";
      case BYTE_STRING -> "byte[]";
      case ENUM -> add(field.getEnumType());
      case MESSAGE -> {
        if (Schema.isTime(field)) {
          boolean timestamp = field.getMessageType().getFullName().equals(Schema.TIMESTAMP);
          yield timestamp ? "java.time.Instant" : "java.time.Duration";
        }
        add(field.getMessageType());
        yield nameOf(field.getMessageType().getFullName());
      }
    };
  }

  private String add(EnumDescriptor type) {
    String name = nameOf(type.getFullName());
    if (ids.putIfAbsent(type.getFullName(), type.getOptions().getExtension(Options.enumeration).getId()) == null) {
      StringJoiner values = new StringJoiner(", ");
      type.getValues().forEach(value -> values.add(value.getName() + "(" + value.getNumber() + ")"));
      sources.put(
          name,
          "package interopcheck.beans;\npublic enum " + name + " {\n  " + values + ";\n"
              + "  private final int id;\n  " + name + "(int id) { this.id = id; }\n"
              + "  @org.apache.fory.annotation.ForyEnumId public int getId() { return id; }\n}\n");
    }
    return name;
  }

  private void compile() {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new Refused("no Java compiler in this runtime");
    }
    List<JavaFileObject> units = new ArrayList<>();
    sources.forEach((name, text) -> units.add(new Source(name, text)));
    StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
    JavaFileManager files =
        new ForwardingJavaFileManager<>(standard) {
          @Override
          public JavaFileObject getJavaFileForOutput(
              Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new Output(className);
          }
        };
    List<String> options = List.of("-proc:none", "-classpath", System.getProperty("java.class.path"));
    if (!compiler.getTask(null, files, null, options, null, units).call()) {
      throw new IllegalStateException("the classes of the schema do not compile");
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + PACKAGE.replace('.', '/') + name + Kind.SOURCE.extension), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private final class Output extends SimpleJavaFileObject {
    private final String className;

    Output(String className) {
      super(URI.create("memory:///" + className.replace('.', '/') + Kind.CLASS.extension), Kind.CLASS);
      this.className = className;
    }

    @Override
    public OutputStream openOutputStream() {
      return new ByteArrayOutputStream() {
        @Override
        public void close() {
          compiled.put(className, toByteArray());
        }
      };
    }
  }
}
