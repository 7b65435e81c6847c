find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(Eigen3 3.3 REQUIRED NO_MODULE)
find_package(yaml-cpp 0.7 REQUIRED)
find_package(fmt 8 REQUIRED)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(ZLIB REQUIRED)

# yaml-cpp 0.8 renamed its target.
if(TARGET yaml-cpp::yaml-cpp)
  set(PARTSIM_YAML_TARGET yaml-cpp::yaml-cpp)
else()
  set(PARTSIM_YAML_TARGET yaml-cpp)
endif()

# No Debian suite packages Matplot++, so it is an optional second chart backend.
find_package(Matplot++ QUIET)
set(PARTSIM_HAS_MATPLOT OFF)
if(TARGET Matplot++::matplot)
  set(PARTSIM_HAS_MATPLOT ON)
endif()
