"""How much keys say of an attribute: the discrimination rate, and what follows from it."""
