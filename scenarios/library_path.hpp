#pragma once
#include <filesystem>

namespace forksim {

/// The directory of the library: it holds `scenarios/` (kernels, patches, workloads, worlds) and `platforms/`.
///
/// The environment variable FORKSIM_LIBRARY names it, else it is the source tree when this program runs
/// from the build directory, else the data directory installed beside this program, wherever the whole
/// installation was moved to. Throws InputError if there is no such directory.
std::filesystem::path library_directory();

/// The directory of the machine descriptions converted when forksim was built, one per shipped platform.
/// It need not exist. FORKSIM_LIBRARY does not change it: conversion belongs to this very build.
std::filesystem::path converted_platforms_directory();

/// The helper executable `forksim-simgrid` that belongs to this program. Throws InputError if it is absent.
std::filesystem::path helper_executable();

}  // namespace forksim
