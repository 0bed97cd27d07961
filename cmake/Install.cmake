# Two layouts, both searched by src/seamark/base/home.cc:
#   bin/seamark, share/seamark/{data,python}          cmake --install
#   _bin/seamark, _home/{data,python}                 below the package `seamark` of a wheel
if(NOT TARGET seamark)
  return()
endif()

if(SKBUILD)
  set(seamark_bin _bin)
  set(seamark_home _home)
else()
  include(GNUInstallDirs)
  set(seamark_bin ${CMAKE_INSTALL_BINDIR})
  set(seamark_home ${CMAKE_INSTALL_DATADIR}/seamark)
  # A wheel has them in its .dist-info.
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

set_target_properties(seamark PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
install(TARGETS seamark RUNTIME DESTINATION ${seamark_bin})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data DESTINATION ${seamark_home})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/seamark_agent ${PROJECT_SOURCE_DIR}/python/seamark_suites
  ${PROJECT_SOURCE_DIR}/python/seamark_helper ${PROJECT_SOURCE_DIR}/python/seamark_trace
  DESTINATION ${seamark_home}/python
  PATTERN "__pycache__" EXCLUDE
  PATTERN "*.pyc" EXCLUDE)
