"""What the views in the browser are sent: bytes and plain data, made from arrays without Streamlit."""
