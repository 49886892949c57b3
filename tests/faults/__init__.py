"""Faults on purpose: the n-th call of the operating system fails or is the last one."""
