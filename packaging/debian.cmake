# Run by cpack before it packs: what Debian wants in every package's /usr/share/doc, its change log and its licence.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, where it is set
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" COMPONENT)
  set(package "${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME}")
  set(folder "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${package}")
  file(MAKE_DIRECTORY "${folder}")
  file(WRITE "${folder}/changelog"
    "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * What has changed is in libtessera-dev's CHANGELOG.md.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  execute_process(COMMAND gzip --best --no-name --force "${folder}/changelog" COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE "${folder}/copyright"
    "Tessera is under the Apache License, version 2.0,\nwhose text is in /usr/share/common-licenses/Apache-2.0.\n\n"
    "Copyright: Tessera's authors\n")
endforeach()
