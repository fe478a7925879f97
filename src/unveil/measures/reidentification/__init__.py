"""Re-identification: who is alone, in the table and in its population."""
