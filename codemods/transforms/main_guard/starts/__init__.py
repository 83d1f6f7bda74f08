"""What starts processes: which statement, by which loaders, pools and launchers, with how many workers."""
