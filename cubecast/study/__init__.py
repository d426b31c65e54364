"""Studies: the result figures and tables of the sources, made anew, with plots and a verdict on every claim."""
