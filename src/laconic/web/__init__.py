"""The web explorer and the HTML report, which show a fitted model and its documents."""
