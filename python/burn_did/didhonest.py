"""What ModernDiD has in its submodule of this name."""

from ._analyses import honest_did

__all__ = ["honest_did"]
