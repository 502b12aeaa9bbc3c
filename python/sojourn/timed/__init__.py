"""Response-time tests: a function is called until a requirement on a quantile of its response time is decided.

`sojourn.pytest_plugin` is what pytest loads; nothing here is imported before a test asks for `response_time`.
"""
