"""A page without a server: a folder of files, with a model that runs in the visitor's browser."""
