package interopcheck.peer;

import com.google.protobuf.Message;
import interop.peer.Peer.Tree;
import java.util.List;

/** What the libraries share whose values are protobuf messages here. */
abstract class MessageCodec implements Codec {
  final Schema schema;

  MessageCodec(Schema schema) {
    this.schema = schema;
  }

  @Override
  public List<String> models() {
    return schema.models();
  }

  @Override
  public Object nativeOf(String model, Tree tree) {
    return Trees.messageOf(schema.prototype(model), tree);
  }

  @Override
  public Tree treeOf(String model, Object object) {
    return Trees.treeOf((Message) object);
  }
}
