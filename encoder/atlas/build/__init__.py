"""How an atlas is measured over a corpus, merged and shipped; the page only reads atlases."""
