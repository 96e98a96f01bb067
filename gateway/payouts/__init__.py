"""The rails by which money leaves: a folder for each, simulators and providers alike."""
