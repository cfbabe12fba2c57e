"""The shapes of what the REST interface takes and answers: its OpenAPI document is made of them."""
