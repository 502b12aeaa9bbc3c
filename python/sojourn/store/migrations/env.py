"""What Alembic runs to migrate: the caller's connection, in its transaction."""

from alembic import context

from sojourn.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
