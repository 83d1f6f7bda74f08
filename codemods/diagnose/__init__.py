"""What happens at run time: which part of an object can't reach a worker, and what an error message means."""
