"""What is tried on a model: heads silenced, states patched, one run taken apart, senses told apart."""
