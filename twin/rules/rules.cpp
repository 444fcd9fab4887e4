#include "twin/rules/rules.h"

namespace normgrad::twin {

const RuleFacts& FactsOf(Rule rule) {
  static const RuleFacts kFacts[] = {
#define NORMGRAD_RULE(name, id, fatal, sentence) {id, fatal, sentence},
      NORMGRAD_RULES(NORMGRAD_RULE)
#undef NORMGRAD_RULE
  };
  return kFacts[static_cast<int>(rule)];
}

}  // namespace normgrad::twin
