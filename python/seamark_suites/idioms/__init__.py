"""Programs that move a model off the beaten track, one module per framework."""
