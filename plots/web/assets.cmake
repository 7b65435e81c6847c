# Included by plots/CMakeLists.txt: the report page's style and script as a C++ source. Bundling the script needs node and npm; a build
# without them has a page with static charts. Nothing is installed into the source tree.
set(PARTSIM_WITH_WEB AUTO CACHE STRING "Interactive charts in report.html: AUTO, ON or OFF")
set_property(CACHE PARTSIM_WITH_WEB PROPERTY STRINGS AUTO ON OFF)
find_program(PARTSIM_NODE NAMES node nodejs)
find_program(PARTSIM_NPM NAMES npm)

set(web_tools "")
if(PARTSIM_WITH_WEB)
  set(web_reason "")
  if(NOT PARTSIM_NODE OR NOT PARTSIM_NPM)
    set(web_reason "node and npm were not found")
  else()
    execute_process(COMMAND ${PARTSIM_NODE} --version OUTPUT_VARIABLE node_version
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT node_version MATCHES "^v([0-9]+)" OR CMAKE_MATCH_1 LESS 18)
      set(web_reason "node is ${node_version}, 18 or later is needed")
    endif()
  endif()
  if(NOT web_reason)
    set(web_tools -DNODE=${PARTSIM_NODE} -DNPM=${PARTSIM_NPM})
  elseif(PARTSIM_WITH_WEB STREQUAL "AUTO")
    message(STATUS "report.html will show static charts: ${web_reason}")
  else()
    message(FATAL_ERROR "PARTSIM_WITH_WEB is ON, but ${web_reason}")
  endif()
endif()
set(web_required OFF)
if(PARTSIM_WITH_WEB AND NOT PARTSIM_WITH_WEB STREQUAL "AUTO")
  set(web_required ON)
endif()
set(web_omit "")
if(NOT PARTSIM_BUILD_TESTS)
  set(web_omit --omit=dev)
endif()

set(web_source ${CMAKE_CURRENT_LIST_DIR})
set(web_files "")
foreach(name build.mjs bundle.cmake package.json package-lock.json style.css tsconfig.json .npmrc)
  list(APPEND web_files ${web_source}/${name})
endforeach()
foreach(name chart chart_view main option panel_view reading sorting table theme words)
  list(APPEND web_files ${web_source}/src/${name}.ts)
endforeach()
set(PARTSIM_WEB_DIR ${CMAKE_CURRENT_BINARY_DIR}/web CACHE INTERNAL "Where the page is bundled")
set(web_output ${PARTSIM_WEB_DIR}/page_assets.cpp)
add_custom_command(OUTPUT ${web_output}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${web_source} -DWORK=${PARTSIM_WEB_DIR}
    -DOUTPUT=${web_output} -DREQUIRED=${web_required} -DOMIT_DEV=${web_omit} ${web_tools}
    -P ${web_source}/bundle.cmake
  DEPENDS ${web_files}
  COMMENT "Bundling the report page"
  VERBATIM)
target_sources(partsim_plots PRIVATE ${web_output})
