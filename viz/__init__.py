"""Everything that draws: the themes, figures, components, panels, and the state and caches behind them."""
