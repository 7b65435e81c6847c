# A rebuild after a branch switch or in a fresh clone costs seconds when ccache is there.
find_program(PARTSIM_CCACHE ccache)
if(PARTSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # paths below the sources count as relative, so that every clone is the same to it
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${PARTSIM_CCACHE})
endif()
