package interopcheck.peer;

import java.lang.reflect.InvocationTargetException;
import java.util.List;

/** Finds the Fory codecs, which are compiled only where fory-core was there to build with. */
final class ForyLibrary {
  private static final String FACTORY = "interopcheck.peer.ForyCodecs";

  private ForyLibrary() {}

  @SuppressWarnings("unchecked")
  static List<Implementation> implementations(Schema schema) throws Exception {
    try {
      Class<?> factory = Class.forName(FACTORY);
      return (List<Implementation>) factory.getDeclaredMethod("implementations", Schema.class).invoke(null, schema);
    } catch (ClassNotFoundException error) {
      String reason = "not installed: org.apache.fory:fory-core";
      return List.of(new Implementation("fory-java", "", reason, List.of()));
    } catch (InvocationTargetException error) {
      throw error.getCause() instanceof Exception cause ? cause : error;
    }
  }
}
