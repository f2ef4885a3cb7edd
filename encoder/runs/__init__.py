"""Records of runs: traces and generations, their file format, and the check that their numbers are finite."""
