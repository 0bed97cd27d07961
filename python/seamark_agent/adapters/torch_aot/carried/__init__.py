"""What reproducers carry: nothing here needs Seamark."""
