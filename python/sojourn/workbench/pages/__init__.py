"""A module for each section of the workbench."""
