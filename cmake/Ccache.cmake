# A rebuild after a branch switch or in a fresh clone costs seconds when ccache is there.
find_program(PARTSIM_CCACHE ccache)
if(PARTSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PARTSIM_CCACHE}")
endif()
