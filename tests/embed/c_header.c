/* The header as strict compilers read it, in C and in C++: every way to begin a struct, without a warning. */
#include <tessera/tessera.h>

static const tessera_config at_start = TESSERA_CONFIG_INIT;

static void begin(tessera_config config, tessera_diagnostic first, tessera_view view) {
  (void)config;
  (void)first;
  (void)view;
}

int main(void) {
  tessera_config config = TESSERA_CONFIG_INIT;
  tessera_diagnostic first = TESSERA_DIAGNOSTIC_INIT;
  tessera_view view = TESSERA_VIEW_INIT;
  tessera_config by_hand;
  memset(&by_hand, 0, sizeof by_hand);
  by_hand.size = sizeof by_hand;
  config.memory_bytes_max = 1 << 20;
  begin(config, first, view);
  begin(by_hand, first, view);
  return at_start.size == sizeof(tessera_config) ? 0 : 1;
}
