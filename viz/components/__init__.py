"""Parts of the page that draw with JavaScript: payloads in Python, one renderer each in the browser."""
