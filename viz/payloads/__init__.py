"""Payloads of the views in the browser: bytes and plain data, built from arrays without Streamlit."""
