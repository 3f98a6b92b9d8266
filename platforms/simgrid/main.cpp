#include <simgrid/engine.h>
#include <simgrid/version.h>

#include <cstdio>

int main() {
    int major = 0;
    int minor = 0;
    int patch = 0;
    sg_version_get(&major, &minor, &patch);
    std::printf("forksim-simgrid, with SimGrid %d.%d.%d\n", major, minor, patch);
    return 0;
}
