"""What qlearn costs and how well it finds things, measured against peers. Each module prints a table."""
