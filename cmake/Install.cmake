# What another project needs to say find_package(partsim) and link partsim::partsim.
include(CMakePackageConfigHelpers)

set(partsim_libraries partsim partsim_loader partsim_report partsim_plots)
set_target_properties(partsim PROPERTIES EXPORT_NAME partsim)
set_target_properties(partsim_loader PROPERTIES EXPORT_NAME loader)
set_target_properties(partsim_report PROPERTIES EXPORT_NAME report)
set_target_properties(partsim_plots PROPERTIES EXPORT_NAME plots)
foreach(library ${partsim_libraries})
  string(REPLACE "partsim_" "" short "${library}")
  add_library(partsim::${short} ALIAS ${library})
endforeach()

install(TARGETS ${partsim_libraries} EXPORT partsimTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS partsim_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/partsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/partsim)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/partsim)
install(EXPORT partsimTargets NAMESPACE partsim:: DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/partsimConfig.cmake.in
  ${PROJECT_BINARY_DIR}/partsimConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/partsimConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/partsimConfig.cmake
  ${PROJECT_BINARY_DIR}/partsimConfigVersion.cmake DESTINATION ${config_dir})
