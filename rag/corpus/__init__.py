"""A folder of Markdown, HTML and plain text as documents with sections."""
