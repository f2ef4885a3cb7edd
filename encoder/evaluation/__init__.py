"""Commands that measure methods on data; nothing that the app runs imports them."""
