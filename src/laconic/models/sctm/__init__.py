"""The sparse coding topic model (SCTM), with batch fits, online fits and correlated topics."""
