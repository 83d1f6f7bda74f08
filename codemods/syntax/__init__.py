"""What any rule may ask about Python text; nothing here knows a hazard."""
