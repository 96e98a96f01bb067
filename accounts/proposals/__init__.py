"""What one of our staff proposes and a second person confirms."""
