"""Where Headlight is: Streamlit looks for this module, and serves the pictures' code from the folders beside it."""
