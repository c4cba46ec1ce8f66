"""A project memory for coding agents, kept in one Markdown file."""
