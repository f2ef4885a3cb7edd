"""Components that receive, store and send; they render nothing, or a single checkbox."""
