"""How numbers are worked out beside the page: one thread for all short work, jobs that can be ended, and what loads
while people look at the first picture."""
