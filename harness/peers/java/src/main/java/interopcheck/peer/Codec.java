package interopcheck.peer;

import interop.peer.Peer.Tree;
import java.util.List;

/** A format as one implementation serves it. */
interface Codec {
  String format();

  String writer();

  List<String> models();

  boolean bench();

  /** The library's own object for a tree. */
  Object nativeOf(String model, Tree tree) throws Exception;

  Tree treeOf(String model, Object object) throws Exception;

  byte[] encode(String model, Object object) throws Exception;

  Object decode(String model, byte[] data) throws Exception;
}
