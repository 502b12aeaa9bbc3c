"""Loaded by the worker processes of a local cluster: Ctrl-C reaches them, too, and is the client's to handle."""

import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)
