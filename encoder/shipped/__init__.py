"""What was trained here and ships in `weights/`, as models on offer."""
