package interopcheck.peer;

import com.google.protobuf.ByteString;
import interop.peer.Peer.Bench;
import interop.peer.Peer.Capability;
import interop.peer.Peer.Decode;
import interop.peer.Peer.Decoded;
import interop.peer.Peer.Encode;
import interop.peer.Peer.Encoded;
import interop.peer.Peer.Failure;
import interop.peer.Peer.Reencode;
import interop.peer.Peer.Reply;
import interop.peer.Peer.Request;
import interop.peer.Peer.SchemaAccepted;
import interop.peer.Peer.Welcome;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The Java peer. Usage: Main [--versions | --native]
 *
 * <p>Serves the peer protocol (harness/PROTOCOL.md) on stdin and stdout.
 */
public final class Main {
  private static final int PROTOCOL_VERSION = 1;
  private static final int FRAME_LIMIT_BYTES = 256 << 20;

  /** A codec, with which model. */
  private record Found(Codec codec, String model) {}

  /** What a library does. */
  private interface Call<T> {
    T run() throws Exception;
  }

  private final List<Implementation> builtIn;
  private List<Implementation> brought = List.of();

  /** Whether bench requests are answered by JMH. */
  private boolean ownTool;

  /** The operation of a request, for a process that only times it. */
  static Benchmark benchmark(Bench body) throws Exception {
    Found found = new Main().find(body.getImplementation(), body.getFormat(), body.getModel());
    return new Benchmark(found.codec, body);
  }

  private Main() throws Exception {
    builtIn = implementations(Schema.builtIn());
  }

  private static List<Implementation> implementations(Schema schema) throws Exception {
    List<Implementation> all = new ArrayList<>(ProtobufLibrary.implementations(schema));
    all.addAll(FlatbuffersLibrary.implementations(schema));
    all.addAll(MsgpackLibrary.implementations(schema));
    all.addAll(ForyLibrary.implementations(schema));
    return all;
  }

  private Welcome welcome() {
    Welcome.Builder welcome =
        Welcome.newBuilder()
            .setProtocolVersion(PROTOCOL_VERSION)
            .setLanguage("java")
            .setRuntime(System.getProperty("java.vm.name") + " " + Runtime.version());
    for (Implementation implementation : builtIn) {
      interop.peer.Peer.Implementation.Builder described =
          welcome
              .addImplementationsBuilder()
              .setName(implementation.name())
              .setVersion(implementation.version())
              .setUnavailable(implementation.unavailable());
      for (Codec codec : implementation.codecs()) {
        described.addCapabilities(
            Capability.newBuilder()
                .setFormat(codec.format())
                .addAllModels(codec.models())
                .setEncode(true)
                .setDecode(true)
                .setReencode(true)
                .setBench(codec.bench())
                .setWriter(codec.writer())
                .setSchemas(true));
      }
    }
    return welcome.build();
  }

  private Found find(String name, String format, String model) {
    // The schema that a request brought goes first.
    for (List<Implementation> source : List.of(brought, builtIn)) {
      for (Implementation implementation : source) {
        for (Codec codec : implementation.codecs()) {
          if (implementation.name().equals(name) && codec.format().equals(format) && codec.models().contains(model)) {
            return new Found(codec, model);
          }
        }
      }
    }
    throw new Unsupported(name + " " + format + " " + model);
  }

  private void answer(Request request, Reply.Builder reply) throws Exception {
    switch (request.getBodyCase()) {
      case HELLO -> reply.setHello(welcome());
      case SCHEMA -> {
        byte[] set = request.getSchema().getFileDescriptorSet().toByteArray();
        brought = refusing(() -> implementations(Schema.of(set)));
        reply.setSchema(SchemaAccepted.getDefaultInstance());
      }
      case ENCODE -> {
        Encode body = request.getEncode();
        Found found = find(body.getImplementation(), body.getFormat(), body.getModel());
        reply.setEncode(encoded(found, () -> found.codec.nativeOf(found.model, body.getValue())));
      }
      case DECODE -> {
        Decode body = request.getDecode();
        Found found = find(body.getImplementation(), body.getFormat(), body.getModel());
        Object object = refusing(() -> found.codec.decode(found.model, body.getData().toByteArray()));
        reply.setDecode(Decoded.newBuilder().setValue(found.codec.treeOf(found.model, object)));
      }
      case REENCODE -> {
        Reencode body = request.getReencode();
        Found found = find(body.getImplementation(), body.getFormat(), body.getModel());
        reply.setReencode(encoded(found, () -> found.codec.decode(found.model, body.getData().toByteArray())));
      }
      case BENCH -> {
        Bench body = request.getBench();
        Found found = find(body.getImplementation(), body.getFormat(), body.getModel());
        if (!found.codec.bench()) {
          throw new Unsupported("bench of " + body.getImplementation() + " " + body.getFormat());
        }
        reply.setBench(refusing(() -> ownTool ? Native.measure(found.codec, body) : Benchmark.measure(found.codec, body)));
      }
      default -> throw new Unsupported("a request of a kind that this peer does not know");
    }
  }

  private static Encoded encoded(Found found, Call<Object> object) {
    byte[] data = refusing(() -> found.codec.encode(found.model, object.run()));
    return Encoded.newBuilder().setData(ByteString.copyFrom(data)).build();
  }

  /** Calls into a library: what it throws is a refusal in its own words. */
  private static <T> T refusing(Call<T> call) {
    try {
      return call.run();
    } catch (Refused refused) {
      throw refused;
    } catch (Exception | StackOverflowError | OutOfMemoryError | AssertionError error) {
      throw new Refused(error.toString());
    }
  }

  private Reply replyTo(Request request) {
    Reply.Builder reply = Reply.newBuilder().setId(request.getId());
    try {
      answer(request, reply);
    } catch (Refused error) {
      fail(reply, Failure.Kind.REFUSED, error.getMessage());
    } catch (Unsupported error) {
      fail(reply, Failure.Kind.UNSUPPORTED, error.getMessage());
    } catch (Exception | StackOverflowError | OutOfMemoryError error) {
      // A fault of this program: said, not died of.
      error.printStackTrace();
      fail(reply, Failure.Kind.INTERNAL, error.toString());
    }
    return reply.build();
  }

  private static void fail(Reply.Builder reply, Failure.Kind kind, String message) {
    reply.setFailure(Failure.newBuilder().setKind(kind).setMessage(String.valueOf(message)));
  }

  private void serve(InputStream in, OutputStream out) throws IOException {
    for (byte[] head = in.readNBytes(4); head.length > 0; head = in.readNBytes(4)) {
      if (head.length < 4) {
        throw new EOFException("stdin ended inside a frame");
      }
      long size = Integer.toUnsignedLong(ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt());
      if (size > FRAME_LIMIT_BYTES) {
        throw new IOException("a frame of " + size + " bytes is longer than " + FRAME_LIMIT_BYTES);
      }
      byte[] frame = in.readNBytes((int) size);
      if (frame.length < size) {
        throw new EOFException("stdin ended inside a frame");
      }
      byte[] body = replyTo(Request.parseFrom(frame)).toByteArray();
      ByteBuffer reply = ByteBuffer.allocate(4 + body.length).order(ByteOrder.LITTLE_ENDIAN);
      out.write(reply.putInt(body.length).put(body).array());
      out.flush();
    }
  }

  public static void main(String[] arguments) throws Exception {
    // Only frames may go to stdout: whatever a library prints goes to stderr.
    System.setOut(System.err);
    Main peer = new Main();
    peer.ownTool = List.of(arguments).contains("--native");
    try (InputStream in = new BufferedInputStream(new FileInputStream(FileDescriptor.in));
        OutputStream out = new FileOutputStream(FileDescriptor.out)) {
      if (List.of(arguments).contains("--versions")) {
        PrintStream printer = new PrintStream(out, true);
        for (Implementation found : peer.builtIn) {
          printer.println(found.name() + " " + (found.unavailable().isEmpty() ? found.version() : found.unavailable()));
        }
      } else {
        peer.serve(in, out);
      }
    }
  }
}
