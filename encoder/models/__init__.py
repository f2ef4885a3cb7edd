"""Models: loading, running, hooking and changing them."""
