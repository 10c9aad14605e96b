package interopcheck.peer;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** protobuf-java and its JsonFormat. */
final class ProtobufLibrary {
  private ProtobufLibrary() {}

  static List<Implementation> implementations(Schema schema) {
    String version = Implementation.versionOf(Message.class);
    return List.of(new Implementation("protobuf-java", version, List.of(new Binary(schema), new Json(schema))));
  }

  private static final class Binary extends MessageCodec {
    Binary(Schema schema) {
      super(schema);
    }

    @Override
    public String format() {
      return "protobuf";
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
    public byte[] encode(String model, Object object) throws IOException {
      Message message = (Message) object;
      byte[] data = new byte[message.getSerializedSize()];
      CodedOutputStream out = CodedOutputStream.newInstance(data);
      // A map's order is free on the wire; the golden files are in the deterministic one.
      out.useDeterministicSerialization();
      message.writeTo(out);
      out.checkNoSpaceLeft();
      return data;
    }

    @Override
    public Object decode(String model, byte[] data) throws IOException {
      return schema.prototype(model).getParserForType().parseFrom(data);
    }
  }

  private static final class Json extends MessageCodec {
    private final JsonFormat.Printer printer =
        JsonFormat.printer().preservingProtoFieldNames().omittingInsignificantWhitespace();
    private final JsonFormat.Parser parser = JsonFormat.parser();

    Json(Schema schema) {
      super(schema);
    }

    @Override
    public String format() {
      return "json";
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
    public byte[] encode(String model, Object object) throws IOException {
      return printer.print((Message) object).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Object decode(String model, byte[] data) throws IOException {
      Message.Builder builder = schema.prototype(model).newBuilderForType();
      parser.merge(textOf(data), builder);
      return builder.build();
    }

    // The parser takes text; what is not UTF-8 must not become text unnoticed.
    private static String textOf(byte[] data) throws CharacterCodingException {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
    }
  }
}
