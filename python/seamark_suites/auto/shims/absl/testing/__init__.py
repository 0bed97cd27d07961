"""Stands in for absl where the user has none: as much as JAX's harness module takes from it at import."""
