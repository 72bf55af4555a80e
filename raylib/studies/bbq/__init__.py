"""BBQ, the bias benchmark for question answering: multiple choice about people, with and without enough context."""
