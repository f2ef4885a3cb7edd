"""What every view says and shows, as one text file that a refactoring is compared with: `python -m tests.golden`."""
