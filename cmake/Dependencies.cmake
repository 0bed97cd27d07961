# Libraries of the system. docs/install.md names the packages.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 3.35 REQUIRED)  # migrations drop columns
find_package(Boost 1.74 CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
# Through pkg-config: Debian 12's CMake file for it offers only the header-only form, which costs seconds a file.
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)
add_library(tomlplusplus::tomlplusplus ALIAS PkgConfig::tomlplusplus)
# What reads a corpus: gz, zstd, and SIMD for the processor at hand.
pkg_check_modules(isal REQUIRED IMPORTED_TARGET libisal)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
# What reads the reports of other test runners.
find_package(EXPAT 2.4.1 REQUIRED)
# A wheel has it in the executable: auditwheel counts it among what every system has, and not every one does.
if(SKBUILD)
  find_library(SEAMARK_EXPAT_ARCHIVE libexpat.a)
  if(SEAMARK_EXPAT_ARCHIVE)
    # Which of them is read depends on the version of CMake.
    set_target_properties(EXPAT::EXPAT PROPERTIES
      IMPORTED_LOCATION ${SEAMARK_EXPAT_ARCHIVE} IMPORTED_LOCATION_RELEASE ${SEAMARK_EXPAT_ARCHIVE})
  endif()
endif()
# CMake 4 renamed it.
if(NOT TARGET SQLite3::SQLite3)
  add_library(SQLite3::SQLite3 ALIAS SQLite::SQLite3)
endif()
