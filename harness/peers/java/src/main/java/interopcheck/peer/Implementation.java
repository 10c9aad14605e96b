package interopcheck.peer;

import java.util.List;

/** A library with the codecs that it serves, or why it serves none here. */
record Implementation(String name, String version, String unavailable, List<Codec> codecs) {
  Implementation(String name, String version, List<Codec> codecs) {
    this(name, version, "", codecs);
  }

  /** The version of the jar that a class comes from, by its file name: NAME-VERSION.jar. */
  static String versionOf(Class<?> type) {
    String path = type.getProtectionDomain().getCodeSource().getLocation().getPath();
    String file = path.substring(path.lastIndexOf('/') + 1);
    return file.replaceFirst("^[a-z-]*-(?=[0-9])", "").replaceFirst("[.]jar$", "");
  }
}
