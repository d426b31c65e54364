"""Hardware that several systems share, and how designs are made into Verilog."""
