"""The models that were trained here and ship in `weights/`."""
