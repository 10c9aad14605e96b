package interopcheck.peer;

/** Asked for, and not declared by this peer. */
final class Unsupported extends RuntimeException {
  Unsupported(String message) {
    super(message);
  }
}
