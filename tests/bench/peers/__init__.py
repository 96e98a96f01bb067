"""Other people's ways to do what the service does, measured in the same run on the same servers."""
