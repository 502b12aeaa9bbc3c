"""The result store: the results of every run, kept for years.

1. a finished run, or a window of a monitor, becomes a record (`records`), without secrets (`redaction`);
2. the record is appended to a file (`spool`), which takes milliseconds and needs no database;
3. records are loaded (`loading`) into SQLite or PostgreSQL (`database`, `schema`, `migrations`), each exactly once;
4. `queries`, `series` and `retention` read and condense what is there.

Recording imports the standard library alone. What reads the store needs SQLAlchemy: `pip install 'sojourn[store]'`.
"""
