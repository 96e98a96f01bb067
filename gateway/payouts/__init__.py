"""The rails by which money leaves: a folder for each, sandbox double and outside party alike."""
