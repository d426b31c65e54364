"""Join units of the reduction in the network, beside crosspoint routers."""
