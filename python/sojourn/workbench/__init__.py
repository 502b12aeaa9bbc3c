"""`sojourn serve`: the workbench, pages over one folder of scenarios, its jobs and the store of results.

In the order of a request: `connections` (time limits), `guard` (Host, Origin, role, size), `app` (routes), `pages`;
below them `scenarios` (the folder), `asked` (a form as a checked job), `jobs` (processes) and `journal` (their files).
"""
