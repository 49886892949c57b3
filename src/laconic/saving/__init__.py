"""Save and load models as folders that contain JSON files and arrays."""
