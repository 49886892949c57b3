"""Fuzzing of every reader and loader: inputs that nobody has written must give a clear error."""
