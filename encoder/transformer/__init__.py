"""The textbook: attention, the encoder, the decoder, and both as one model, in torch."""
