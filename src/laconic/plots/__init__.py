"""Charts of models and of measurements: Altair objects for a notebook, a page or a picture."""
