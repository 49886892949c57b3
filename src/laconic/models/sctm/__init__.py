"""SCTM, the sparse coding topic model: batch, online and correlated."""
