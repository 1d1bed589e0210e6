/* What opens_plugin opens: a library like any other's, built without the wrappers. */
int plugin_count(int step) {
  static int total;
  return total += step;
}
