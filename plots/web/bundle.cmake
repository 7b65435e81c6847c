# Run when partsim is built: makes a C++ source of the report page's style and, with node, of its
# script. Needs SOURCE, WORK and OUTPUT; NODE and NPM may be empty; REQUIRED ends the build instead
# of falling back to a page with static charts; OMIT_DEV leaves out what only tests need.
cmake_policy(VERSION 3.25)

function(give_up reason)
  if(REQUIRED)
    message(FATAL_ERROR "the interactive report page cannot be bundled: ${reason}")
  endif()
  message(STATUS "report.html will show static charts: ${reason}")
  message(STATUS "remove ${OUTPUT} to try again")
endfunction()

function(make_script)
  file(COPY ${SOURCE}/src ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc
    ${SOURCE}/build.mjs ${SOURCE}/tsconfig.json DESTINATION ${WORK})
  # npm is slow; it runs when what it would install differs from what is there
  file(SHA256 ${SOURCE}/package-lock.json wanted)
  set(wanted "${wanted} ${OMIT_DEV}")
  set(installed "")
  if(EXISTS ${WORK}/installed.txt)
    file(READ ${WORK}/installed.txt installed)
  endif()
  if(NOT installed STREQUAL wanted)
    file(REMOVE ${WORK}/installed.txt)
    execute_process(
      COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
        --fetch-retries=1 --fetch-timeout=60000 ${OMIT_DEV}
      WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      give_up("'npm ci' failed\n${output}")
      return()
    endif()
    file(WRITE ${WORK}/installed.txt "${wanted}")
  endif()
  file(REMOVE ${WORK}/page.js)
  execute_process(COMMAND ${NODE} build.mjs
    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT EXISTS ${WORK}/page.js)
    # the sources are wrong, which is nothing to fall back from
    message(FATAL_ERROR "bundling the report page failed\n${output}")
  endif()
endfunction()

# A literal may not be longer than compilers like, so the text goes in pieces.
function(append_text name file)
  set(text "")
  if(EXISTS ${file})
    file(READ ${file} text)
  endif()
  string(LENGTH "${text}" length)
  set(at 0)
  set(pieces "")
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 16000 piece)
    string(APPEND pieces "R\"partsim_page(${piece})partsim_page\"\n")
    math(EXPR at "${at} + 16000")
  endwhile()
  file(APPEND ${OUTPUT}.new
    "constexpr char ${name}[] =\n\"\"\n${pieces};\n")
endfunction()

file(MAKE_DIRECTORY ${WORK})
if(NODE AND NPM)
  make_script()
else()
  file(REMOVE ${WORK}/page.js)
endif()
file(WRITE ${OUTPUT}.new "// Made by plots/web/bundle.cmake.\n#include \"page_assets.hpp\"\n\nnamespace partsim {\nnamespace {\n")
append_text(kStyle ${SOURCE}/style.css)
append_text(kScript ${WORK}/page.js)
file(APPEND ${OUTPUT}.new
  "}  // namespace\nPageAssets page_assets() noexcept {\n  return {{kStyle, sizeof(kStyle) - 1}, {kScript, sizeof(kScript) - 1}};\n}\n}  // namespace partsim\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
