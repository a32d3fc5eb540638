"""The papers' figures and tables: one module a paper, one function an artefact."""
