"""The papers' own tables: one module for each paper, the printed numbers beside ours."""
