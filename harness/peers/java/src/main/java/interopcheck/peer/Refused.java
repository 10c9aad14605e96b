package interopcheck.peer;

/** What a library, or the form that it gives to values, refused, in its own words. */
final class Refused extends RuntimeException {
  Refused(String message) {
    super(message);
  }
}
