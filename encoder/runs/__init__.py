"""What a run leaves behind: a trace, what a decoder wrote, their file, and the check that their numbers are finite."""
