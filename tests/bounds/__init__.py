"""The package with the lowest versions of its dependencies that `pyproject.toml` admits, and with the newest."""
