"""The grammar: one class per concept, each on top of the ones it needs. It is strict: every token is taken by a rule or refused."""
