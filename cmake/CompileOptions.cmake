# Flags live on one interface target, never in global variables, so that a project using partsim keeps its own.
add_library(partsim_options INTERFACE)
target_compile_features(partsim_options INTERFACE cxx_std_20)

# The same bytes on every machine: no contraction to FMA, nothing that lets the compiler reorder
# floating point, no tuning for the machine that happens to build.
target_compile_options(partsim_options INTERFACE
  -ffp-contract=off -fno-fast-math -fno-unsafe-math-optimizations)
if(CMAKE_CXX_FLAGS MATCHES "-ffast-math|-Ofast|-march=native")
  message(FATAL_ERROR "partsim results must not depend on the machine: remove ${CMAKE_MATCH_0}")
endif()

target_compile_options(partsim_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Wold-style-cast -Wcast-align -Woverloaded-virtual -Wdouble-promotion
  # unsigned __int128 is used on purpose for 126-bit hashes
  -Wno-pedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105329)
  target_compile_options(partsim_options INTERFACE -Wno-restrict)
endif()
if(PARTSIM_WARNINGS_AS_ERRORS)
  target_compile_options(partsim_options INTERFACE -Werror)
endif()

# Hardening. _FORTIFY_SOURCE needs an optimising build.
target_compile_options(partsim_options INTERFACE -fstack-protector-strong -D_GLIBCXX_ASSERTIONS)
target_compile_options(partsim_options INTERFACE
  $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
target_link_options(partsim_options INTERFACE -Wl,-z,relro -Wl,-z,now)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PARTSIM_SANITIZE)
  target_compile_options(partsim_options INTERFACE
    -fsanitize=${PARTSIM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(partsim_options INTERFACE -fsanitize=${PARTSIM_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # instrumented code hides from GCC that a variant's text was constructed
    target_compile_options(partsim_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
