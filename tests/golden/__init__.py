"""What every view says and shows, compared with what an earlier commit says: `make golden`."""
