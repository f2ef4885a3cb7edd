"""Parts of the page in JavaScript: payloads in Python, one renderer each in the browser."""
