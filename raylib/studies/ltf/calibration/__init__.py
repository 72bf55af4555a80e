"""The judge against people: their labels, agreement with them, and estimates corrected for the judge's errors."""
