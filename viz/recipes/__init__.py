"""What views compute, as recipes that the page, slides and commands run: see `viz.recipes.step`."""
