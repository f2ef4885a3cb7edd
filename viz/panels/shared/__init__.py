"""What the panels share: answers and recipes on the page, jobs with their progress, folds, tables, and room."""
