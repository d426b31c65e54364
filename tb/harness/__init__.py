"""The harness: Verilog, builds, lockstep runs, proofs, coverage, waves."""
