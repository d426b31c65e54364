"""The collectives of a node in Amaranth, merges over trees and rings: one public component per file."""
