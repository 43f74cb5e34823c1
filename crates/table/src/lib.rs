//! Schema, domain, tables and counts: what every other room of Lookalike stands on.
