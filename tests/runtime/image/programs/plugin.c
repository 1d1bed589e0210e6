/* Built twice, as two plugins with the same names: each means its own. */
#ifndef PLUGIN
#error "which one"
#endif

extern int program_variable;
int plugin_calls;
static _Thread_local int own_calls;
static int constructed;

__attribute__((constructor)) static void construct(void) { constructed = PLUGIN; }

int plugin_number(void) { return PLUGIN; }

/* What the plugin, the program and the rank are to each other, as one number; counts its calls. */
int plugin_call(void) {
  plugin_calls++;
  own_calls++;
  return constructed == PLUGIN && own_calls == plugin_calls
             ? 100 * plugin_number() + 10 * program_variable + plugin_calls
             : -1;
}
