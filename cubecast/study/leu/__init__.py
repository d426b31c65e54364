"""Studies of Leu and Kuo: trees and merges in cubes with faulty links and nodes."""
