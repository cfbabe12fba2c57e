"""The grammar: one class per concept, each on top of those it needs. Every token is taken by a rule, or refused."""
