"""State that only the main process has, and that workers read: settings, seeds, replaced functions."""
