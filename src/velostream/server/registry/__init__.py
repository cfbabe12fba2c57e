"""What the server remembers: applications, their deployments, and what happened to them."""
