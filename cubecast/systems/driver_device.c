#include "cubecast_device.h"

#include <stddef.h>

