"""What banks tell us by file: our accounts with them, statements, answers; each line explained or in suspense."""
