"""PyTorch programs compiled for a device that is not here; nothing runs there."""

from .choose import TargetAdapter

__all__ = ["TargetAdapter"]
