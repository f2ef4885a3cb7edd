"""Commands that evaluate methods on data; the app does not import them."""
