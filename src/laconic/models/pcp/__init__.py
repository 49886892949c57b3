"""Principal component pursuit (PCP), which finds background topics and keywords."""
