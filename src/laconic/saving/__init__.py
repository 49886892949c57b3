"""Save and load models as folders of plain JSON and arrays."""
